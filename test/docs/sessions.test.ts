/** What README and the pages show is what a user gets: their commands and scripts, each page in a folder of its own. */

import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN } from '../cli/spawn.js';
import { blocksOf, cellsOf, isOutput, PAGES, ROOT, type Step, shownFiles, stepsOf } from './pages.js';

/** Runs that do not end are killed, and fail their test. They see no Vulkan driver: what they print is the CPU engine's. */
const ALONE = {
  env: { ...process.env, VK_DRIVER_FILES: '/dev/null' },
  timeout: 60_000,
  killSignal: 'SIGKILL',
} as const;

/** Without what differs between machines and runs. */
function stable(text: string): string {
  return text.replace(/^(engine|time) .*\n( .*\n)*/gm, '').trim();
}

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[], cwd: string): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, ...ALONE }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

/** A step as it is run: `npx hindcast` is what was built here, and `npm run NAME` what package.json has for it. */
function runStep({ run: what }: Step, folder: string): Promise<Ran> {
  if ('script' in what) {
    writeFileSync(join(folder, 'script.mjs'), what.script);
    return run(process.execPath, ['script.mjs'], folder);
  }
  const [program, name, ...args] = what.words;
  if (program === 'npx' && name === 'hindcast') return run(process.execPath, [MAIN, ...args], folder);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [, script] = program === 'npm' && name === 'run' ? (/^node (\S+)$/.exec(scripts[args[0]]) ?? []) : [];
  if (script === undefined) throw new Error(`the tests do not run ${what.words.join(' ')}`);
  return run(process.execPath, [join(ROOT, script)], folder);
}

/** What was shown, with the lines that were printed in place of each …; where they do not fit, as it is. */
function filled(shown: string, printed: string): string {
  const escaped = stable(shown).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/^…$/gm, '[^]*?')}$`).test(printed) ? printed : stable(shown);
}

let made: string;
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'hindcast-pages-'));
  mkdirSync(join(made, 'files'));
  // As npm install /path/to/hindcast does.
  mkdirSync(join(made, 'node_modules/.bin'), { recursive: true });
  symlinkSync(ROOT, join(made, 'node_modules/hindcast'));
  writeFileSync(join(made, 'node_modules/.bin/hindcast'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(join(made, 'node_modules/.bin/hindcast'), 0o755);
  const { status, stderr } = await run(
    process.execPath,
    [join(ROOT, 'examples/csv-log.mjs'), 'files/banners.csv'],
    made,
  );
  expect([status, stderr]).toEqual([0, '']);
  for (const [name, text] of shownFiles())
    if (name !== 'banners.csv') writeFileSync(join(made, 'files', name), `${text}\n`);
});
afterAll(() => rmSync(made, { recursive: true }));

it('shows logs as they begin', () => {
  for (const [name, text] of shownFiles())
    expect(readFileSync(join(made, 'files', name), 'utf8').startsWith(`${text}\n`), name).toBe(true);
});

const withSteps = PAGES.filter((page) => stepsOf(page).length + cellsOf(page).length > 0);
describe.each(withSteps)('%s', (page) => {
  let folder: string;
  beforeAll(() => {
    folder = join(made, page.replaceAll('/', '-'));
    cpSync(join(made, 'files'), folder, { recursive: true });
    symlinkSync(join(made, 'node_modules'), join(folder, 'node_modules'));
  });

  it.each(stepsOf(page))('$title', async (step) => {
    const { status, stdout, stderr } = await runStep(step, folder);
    if (!step.shown.startsWith('hindcast: ')) expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    const printed = stable(status === 0 ? stdout : stderr);
    expect(printed).toBe(filled(step.shown, printed));
  });

  const cells = cellsOf(page).filter(({ script }) => !isLacking(page, script));
  it.skipIf(cells.length === 0)('cells of Python', async () => {
    const between = 'the next cell';
    const script = cells.map(({ script }) => `${script}\nprint(${JSON.stringify(between)})\n`).join('');
    writeFileSync(join(folder, 'cells.py'), script);
    const { status, stdout, stderr } = await run('python3', ['-u', 'cells.py'], folder);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.split(`${between}\n`).map((text) => text.trimEnd())).toEqual([
      ...cells.map(({ shown }) => shown),
      '',
    ]);
  });
});

/** Whether there is no Python, or a module that a cell imports is not there: then it is said that it was not run. */
function isLacking(page: string, script: string): boolean {
  const names = ['sys', ...[...script.matchAll(/^import (\w+)/gm)].map(([, name]) => name)];
  const missing = names.filter((name) => spawnSync('python3', ['-c', `import ${name}`]).status !== 0);
  if (missing.length > 0) console.warn(`${page}: a cell was not run, as python3 lacks ${missing.join(', ')}`);
  return missing.length > 0;
}

describe('blocks', () => {
  it.each(PAGES)('of %s are run, or are files or output of what is', (page) => {
    const blocks = blocksOf(page);
    for (const [i, block] of blocks.entries()) {
      const { language, file, text } = block;
      if (language === 'mermaid') continue;
      // Those that need a cluster, which test/cli/submit.test.ts stands in for.
      if (language === 'sh' && page.endsWith('guide/cluster.md')) continue;
      // The lines that .ci/run runs in a fresh clone.
      if (language === 'sh') expect(text).toMatch(/^(npm (ci|run demo|test)( && | {2,}#.*\n?)?)+$/);
      else if (['json', 'csv'].includes(language)) expect(file, text).not.toBe('');
      else if (isOutput(block)) expect(['js', 'python'], text).toContain(blocks[i - 1]?.language);
      else expect(['text', 'js', 'python'], text).toContain(language);
    }
  });
});
