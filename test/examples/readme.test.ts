/** What the README shows is what a user gets: its commands and its script, run in a folder of their own. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { learnerTable } from './learner-table.js';

/**
 * Scripts run without Vulkan drivers: what they print is the CPU engine's, whatever this machine has. One that does not
 * end is killed, and fails its test.
 */
const ALONE = {
  env: { ...process.env, VK_DRIVER_FILES: '/dev/null' },
  timeout: 60_000,
  killSignal: 'SIGKILL',
} as const;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const README = await readFile(join(ROOT, 'README.md'), 'utf8');

/** Fenced blocks of a language. */
function blocks(language: string): string[] {
  return [...README.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)\n\`\`\`$`, 'gm'))].map(([, text]) => text);
}

/** Without what differs between machines and runs. */
function stable(text: string): string {
  return text.replace(/^(engine|time) .*\n( .*\n)*/gm, '').trim();
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hindcast-readme-'));
  // As npm install /path/to/hindcast does.
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules', 'hindcast'));
  await run(join(ROOT, 'examples', 'csv-log.mjs'), 'banners.csv');
  const [policies, learners, articles] = blocks('json').filter((text) => text.startsWith('['));
  await writeFile(join(folder, 'policies.json'), policies);
  await writeFile(join(folder, 'learners.json'), learners);
  await writeFile(join(folder, 'articles.json'), articles);
});
afterAll(() => rm(folder, { recursive: true }));

async function run(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, ...ALONE });
  return stdout;
}

describe('README', () => {
  const sessions = blocks('text').filter((text) => text.startsWith('$ npx hindcast '));

  it('shows a log, four commands and three scripts', async () => {
    expect(sessions.length).toBeGreaterThanOrEqual(4);
    expect(blocks('js')).toHaveLength(3);
    const head = blocks('text').find((text) => text.startsWith('banner,'));
    expect((await readFile(join(folder, 'banners.csv'), 'utf8')).startsWith(`${head}\n`)).toBe(true);
  });

  it.each(sessions.map((text) => [text.split(' ')[3], text]))('hindcast %s', async (_command, text) => {
    const [, command, shown = ''] = /^\$ npx hindcast ((?:.*\\\n)*.*)(?:\n([\s\S]*))?$/.exec(text) ?? [];
    const args = command.replaceAll('\\\n', ' ').split(/ +/);
    expect(stable(await run(join(ROOT, 'dist', 'cli', 'main.js'), ...args))).toBe(stable(shown));
  });

  it.each(['evaluate', 'replay'].map((command, i): [string, number] => [command, i]))(
    'gives the same table from the script: %s',
    async (command, i) => {
      await writeFile(join(folder, 'script.mjs'), blocks('js')[i]);
      const session = sessions.find((text) => text.startsWith(`$ npx hindcast ${command}`)) ?? '';
      // The command line ends where no backslash does.
      const table = stable(session.replace(/^\$ npx hindcast (?:.*\\\n)*.*\n/, ''));
      expect(stable(await run('script.mjs'))).toBe(table);
    },
  );

  it('simulates the world it shows', async () => {
    await writeFile(join(folder, 'world.mjs'), blocks('js')[2]);
    const shown = blocks('text').find((text) => text.startsWith('a random policy: true value'));
    expect((await run('world.mjs')).trim()).toBe(shown);
  });

  it('lists the learning algorithms that there are', () => {
    const [, shown] = /<!-- LEARNERS: .* -->\n\n([\s\S]*)\n\n<!-- \/LEARNERS -->/.exec(README) ?? [];
    expect(shown).toBe(learnerTable());
  });

  it('shows what the demo prints', async () => {
    const shown = blocks('text').find((text) => text.includes('true rank')) ?? '';
    const printed = await run(join(ROOT, 'examples', 'demo.mjs'));
    expect(stable(printed.slice(printed.indexOf('log ')))).toBe(stable(shown));
  });
});
