import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AtomicFile } from '#dist/files/atomic-file.js';
import { presenceAt, showPresence, takeLock } from '#dist/files/presence.js';
import { temporaryFolder } from '#dist/files/temporary-folder.js';

const root = mkdtempSync(join(tmpdir(), 'p-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'f-'));
});

const module = (name: string) => JSON.stringify(new URL(`../../dist/files/${name}.js`, import.meta.url).href);

/** A process that does something, says so and waits; `kill` ends it as a crash would. */
async function child(code: string): Promise<{ process: ChildProcess; said: string; kill(): Promise<void> }> {
  const started = spawn(process.execPath, [
    ...['--input-type=module', '-e', `${code}\nprocess.stdout.write('ready'); setInterval(() => {}, 1e6);`],
  ]);
  const said = await new Promise<string>((resolve, reject) => {
    started.stdout.once('data', (text) => resolve(String(text)));
    started.once('exit', () => reject(new Error('the child ended')));
  });
  return {
    process: started,
    said,
    kill: () =>
      new Promise<void>((resolve) => {
        started.once('exit', () => resolve());
        started.kill('SIGKILL');
      }),
  };
}

const locker = (path: string) =>
  `import { takeLock } from ${module('presence')}; globalThis.lock = await takeLock(${JSON.stringify(path)});`;

describe.each([
  ['short', 'x'],
  ['too long for the name of a socket', 'y'.repeat(120)],
])('a lock whose path is %s', (_, name) => {
  const place = (): string => {
    mkdirSync(join(folder, name));
    return join(folder, name, '.state.lock');
  };

  it('is held by one, who is told, and free when released', async () => {
    const path = place();
    const holder = await child(locker(path));
    expect(await takeLock(path)).toEqual({ heldBy: String(holder.process.pid) });
    const [socket, ...more] = readdirSync(join(folder, name));
    expect(more).toEqual([]);
    expect(await presenceAt(join(folder, name, socket))).toEqual({ state: 'held', pid: String(holder.process.pid) });
    await holder.kill();
    expect(await presenceAt(join(folder, name, socket))).toEqual({ state: 'gone' });
    const taken = await takeLock(path);
    expect(taken).toHaveProperty('lock');
    if ('lock' in taken) await taken.lock?.release();
    expect(readdirSync(join(folder, name))).toEqual([]);
  });

  it('is held by a process that does not answer', async () => {
    const path = place();
    const holder = await child(locker(path));
    holder.process.kill('SIGSTOP');
    expect(await takeLock(path)).toEqual({ heldBy: null });
    await holder.kill();
  });

  it('of a process that is gone is taken over by exactly one of many', async () => {
    const path = place();
    for (let round = 0; round < 5; round++) {
      await (await child(locker(path))).kill();
      const all = await Promise.all(Array.from({ length: 8 }, () => takeLock(path)));
      const holders = all.filter((one) => 'lock' in one);
      expect(holders.length).toBe(1);
      expect(all.filter((one) => 'heldBy' in one)).toEqual(Array(7).fill({ heldBy: String(process.pid) }));
      for (const one of holders) if ('lock' in one) await one.lock?.release();
      expect(readdirSync(join(folder, name))).toEqual([]);
    }
  });

  it('is taken by one of several processes that ask at once', async () => {
    const path = place();
    const asking = Array.from({ length: 4 }, () =>
      child(`${locker(path)} process.stdout.write('lock' in globalThis.lock ? 'has ' : 'not ');`),
    );
    const children = await Promise.all(asking);
    expect(children.map(({ said }) => said.startsWith('has')).filter(Boolean)).toEqual([true]);
    for (const one of children) await one.kill();
  });
});

it('what is no socket holds a place, and is not removed', async () => {
  const path = join(folder, 'mine.0123abcd');
  writeFileSync(path, 'mine');
  expect(await presenceAt(path)).toEqual({ state: 'unknown' });
  expect(await takeLock(join(folder, 'mine'))).toEqual({ heldBy: null });
  await expect(showPresence(path)).rejects.toThrow('mine');
  expect(await readFile(path, 'utf8')).toBe('mine');
});

describe('AtomicFile', () => {
  const writer = (path: string) =>
    `import { AtomicFile } from ${module('atomic-file')}; globalThis.file = await AtomicFile.create(${JSON.stringify(path)}); await file.handle.writeFile('half');`;

  it('appears whole, under its own name, with nothing beside it', async () => {
    const path = join(folder, 'out.json');
    writeFileSync(path, 'old');
    const file = await AtomicFile.create(path, 0o640);
    await file.handle.writeFile('new');
    expect(await readFile(path, 'utf8')).toBe('old');
    await file.flush();
    await file.rename();
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o640 & ~process.umask());
    expect(readdirSync(folder)).toEqual(['out.json']);
  });

  it('leaves the old file and nothing else where it is given up', async () => {
    const path = join(folder, 'out.json');
    writeFileSync(path, 'old');
    const file = await AtomicFile.create(path);
    await file.discard();
    expect(readdirSync(folder)).toEqual(['out.json']);
  });

  it('sweeps what a killed writer left, of whatever file, and not what a living one has in work', async () => {
    const dead = [await child(writer(join(folder, 'out.json'))), await child(writer(join(folder, 'other.csv')))];
    const living = await child(writer(join(folder, 'out.json')));
    for (const one of dead) await one.kill();
    expect(readdirSync(folder).length).toBe(6);
    const file = await AtomicFile.create(join(folder, 'out.json'));
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp')).length).toBe(2);
    await file.discard();
    await living.kill();
    await (await AtomicFile.create(join(folder, 'third'))).discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves files of other programs, links, and young files without a socket', async () => {
    const name = `.out.json.${'0'.repeat(16)}.tmp`;
    writeFileSync(join(folder, name), 'young');
    writeFileSync(join(folder, '.out.json.tmp'), 'of another program');
    symlinkSync('/etc/hostname', join(folder, `.out.json.${'1'.repeat(16)}.tmp`));
    await (await AtomicFile.create(join(folder, 'out.json'))).discard();
    expect(readdirSync(folder).length).toBe(3);
    const yesterday = Date.now() / 1000 - 90_000;
    await utimes(join(folder, name), yesterday, yesterday);
    await (await AtomicFile.create(join(folder, 'out.json'))).discard();
    expect(readdirSync(folder).length).toBe(2);
  });

  it('takes names of 255 bytes', async () => {
    const path = join(folder, 'ü'.repeat(127));
    const file = await AtomicFile.create(path);
    await file.handle.writeFile('long');
    await file.flush();
    await file.rename();
    expect(await readFile(path, 'utf8')).toBe('long');
  });
});

it('a temporary folder is for its user alone, and swept after a kill', async () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const made = `import { temporaryFolder } from ${module('temporary-folder')}; const { path } = await temporaryFolder(); (await import('node:fs')).writeFileSync(path + '/log', 'x');`;
    const dead = await child(made);
    const living = await child(made);
    await dead.kill();
    expect(readdirSync(folder).length).toBe(4);
    const own = await temporaryFolder();
    expect(statSync(own.path).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).length).toBe(4);
    await own.remove();
    expect(readdirSync(folder).length).toBe(2);
    await living.kill();
    await (await temporaryFolder()).remove();
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});
