/** What is loaded as code comes from a folder that nobody else could write to; what is read whole is a file on disk. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { privateFolder } from '#dist/files/private-folder.js';
import { hindcast } from '../cli/in-process.js';

const before = process.env.TMPDIR;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'q-'));
  process.env.TMPDIR = folder;
});
afterEach(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  rmSync(folder, { recursive: true });
});

const user = process.getuid?.() ?? 0;
let fills = 0;
const fill = async (path: string): Promise<void> => {
  fills++;
  writeFileSync(join(path, 'lib.so'), 'ours');
};

describe('privateFolder', () => {
  it('is filled once', async () => {
    fills = 0;
    const path = await privateFolder('lib', fill);
    expect(path).toBe(join(folder, `lib-${user}`));
    expect(await privateFolder('lib', fill)).toBe(path);
    expect(fills).toBe(1);
    expect(lstatSync(path).mode & 0o777).toBe(0o700);
  });

  it.each<[string, (path: string, file: string) => void]>([
    ['a folder that others can write to', (path) => chmodSync(path, 0o777)],
    ['a file that others can write to', (_, file) => chmodSync(file, 0o666)],
    ['a file with two names', (path, file) => linkSync(file, `${path}.theirs`)],
    ['an empty folder', (_, file) => rmSync(file)],
    [
      'a link to a file in it',
      (_, file) => {
        rmSync(file);
        symlinkSync('/etc/hostname', file);
      },
    ],
    [
      'a link to a folder',
      (path) => {
        renameSync(path, `${path}.theirs`);
        symlinkSync(`${path}.theirs`, path);
      },
    ],
    [
      'a file',
      (path) => {
        rmSync(path, { recursive: true });
        writeFileSync(path, 'theirs');
      },
    ],
  ])('is another one where there is %s', async (_, plant) => {
    const path = join(folder, `lib-${user}`);
    mkdirSync(path);
    writeFileSync(join(path, 'lib.so'), 'theirs');
    plant(path, join(path, 'lib.so'));
    const used = await privateFolder('lib', fill);
    expect(used).not.toBe(path);
    expect(lstatSync(used).mode & 0o777).toBe(0o700);
  });
});

describe('what is no file on disk', () => {
  const evaluate = (mapping: string, policies: string) => {
    const log = join(folder, 'log.csv');
    writeFileSync(log, 'arm,payoff\na,1\nb,0\n');
    return hindcast(['evaluate', log, '--mapping', mapping, '--policies', policies, '--device', 'cpu']);
  };
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('is refused at once: a pipe, a device, a folder, a file that is too large', async () => {
    const mapping = file('mapping.json', '{"arm":"arm","payoff":"payoff"}');
    const policies = file('set.json', '[{"family":"constant"}]');
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const large = file('large.json', '[]');
    truncateSync(large, 2 ** 29);
    for (const [bad, words] of [
      [pipe, 'a pipe, and not a file on disk'],
      ['/dev/zero', 'a device, and not a file on disk'],
      [folder, 'folder'],
      [large, 'too large'],
    ] as const) {
      for (const [m, p] of [
        [bad, policies],
        [mapping, bad],
        [mapping, file('w.json', JSON.stringify([{ family: 'linear', weights: `${bad}.npy` }]))],
      ]) {
        if (bad !== '/dev/zero' && p.endsWith('w.json')) continue;
        const { status, stderr } = await evaluate(m, p);
        expect({ status, bad, stderr }).toMatchObject({ status: 2 });
        if (!p.endsWith('w.json'))
          expect(stderr.toLowerCase()).toMatch(words === 'folder' ? /folder|directory/ : words);
      }
    }
    symlinkSync(pipe, join(folder, 'w.npy'));
    symlinkSync('/dev/zero', join(folder, 'z.npy'));
    for (const name of ['w.npy', 'z.npy']) {
      const set = file('named.json', JSON.stringify([{ family: 'linear', weights: name }]));
      const { status, stderr } = await evaluate(mapping, set);
      expect(status, stderr).toBe(2);
      expect(stderr).toContain('not a file on disk');
    }
  });
});
