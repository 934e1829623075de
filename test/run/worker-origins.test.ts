/** Worker threads start wherever the caller's code came from: text, standard input, a worker, loaders, a bundle. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-origins-'));
afterAll(() => rmSync(folder, { recursive: true }));
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const pool = pathToFileURL(join(DIST, 'run/cpu.js')).href;
const columns = pathToFileURL(join(DIST, 'log/columns.js')).href;

/** Decides one policy on two threads, from the first decision on. */
const program = (cpu = pool, imports = columns): string => `
const { CpuBackend } = await import(${JSON.stringify(cpu)});
const { logFromColumns } = await import(${JSON.stringify(imports)});
const arm = Array.from({ length: 100 }, (_, t) => 'ab'[t % 2]);
const log = logFromColumns({ arm, payoff: arm.map(() => 1), context: arm.map((_, t) => [t % 7, 1]) });
const backend = new CpuBackend({ threads: 2, threadsFrom: 1 });
const { runBlocks } = await import(${JSON.stringify(pathToFileURL(join(DIST, 'estimate/blocks.js')).href)});
const batch = { kind: 'linear', family: 'linear', policies: 1, names: ['w'], weights: Float64Array.of(1, -3, 0, 0), arms: 2, dimension: 2 };
const stats = await backend.evaluate(log, runBlocks(log.events, 1), batch);
await backend.close();
console.log('matches', stats.matches[0]);
`;

interface Run {
  argv: string[];
  input?: string;
  env?: Record<string, string>;
}

function node({ argv, input, env = {} }: Run): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    encoding: 'utf8',
    input: input ?? '',
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  return `${status} ${stdout}${stderr}`;
}

const script = join(folder, 'script.mjs');
writeFileSync(script, program());
const expected = node({ argv: [script] });
const loader = join(folder, 'loader.mjs');
writeFileSync(loader, 'export {};');

describe('threads of the CPU engine', () => {
  test('start from a script', () => {
    expect(expected).toMatch(/^0 matches \d+\n$/);
  });

  test.each<[string, Run]>([
    ['-e', { argv: ['--input-type=module', '-e', program()] }],
    ['--eval with CommonJS', { argv: ['-e', `(async () => {${program()}})()`] }],
    ['standard input', { argv: ['--input-type=module', '-'], input: program() }],
    ['--import', { argv: ['--import', pathToFileURL(loader).href, script] }],
    ['--import and -e', { argv: ['--import', pathToFileURL(loader).href, '--input-type=module', '-e', program()] }],
    ['NODE_OPTIONS', { argv: [script], env: { NODE_OPTIONS: `--import ${pathToFileURL(loader).href}` } }],
    ['NODE_OPTIONS for text', { argv: ['-e', program()], env: { NODE_OPTIONS: '--input-type=module' } }],
    ['flags of the heap', { argv: ['--max-old-space-size=500', '--expose-gc', script] }],
    ['a worker', { argv: ['-e', `new (require('node:worker_threads').Worker)(${JSON.stringify(script)})`] }],
  ])('start from %s', (_, run) => {
    const [, matches] = /(matches \d+)/.exec(expected) ?? [];
    const output = node(run);
    expect(output).toContain(matches);
    expect(output).not.toMatch(/Error|Warning/);
  });

  test('start from the REPL', async () => {
    // Its end of input is the end of the process: input stays open.
    const repl = spawn(process.execPath, ['-i'], { env: { ...process.env, NODE_OPTIONS: '' } });
    let output = '';
    repl.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    const ended = new Promise((resolve) => repl.once('close', resolve));
    repl.stdin.write(`(async () => {${program().replaceAll('\n', ' ')} process.exit(0); })();\n`);
    await ended;
    expect(output).toContain(/(matches \d+)/.exec(expected)?.[1]);
  });

  test('are done without where a bundle left their files out, with a warning', () => {
    // As a bundler does: the same modules elsewhere, without those that only workers enter.
    const bundle = join(folder, 'bundle');
    mkdirSync(bundle);
    writeFileSync(join(bundle, 'package.json'), '{ "type": "module" }');
    cpSync(DIST, join(bundle, 'dist'), { recursive: true });
    rmSync(join(bundle, 'dist/run/cpu-worker.js'));
    cpSync(fileURLToPath(new URL('../../shaders', import.meta.url)), join(bundle, 'shaders'), { recursive: true });
    const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
    const link = spawnSync('ln', ['-s', modules, join(bundle, 'node_modules')]);
    expect(link.status).toBe(0);
    writeFileSync(join(bundle, 'main.mjs'), program('./dist/run/cpu.js', './dist/log/columns.js'));
    const output = node({ argv: [join(bundle, 'main.mjs')] });
    expect(output).toContain(/(matches \d+)/.exec(expected)?.[1]);
    expect(output).toMatch(/hindcast runs on one thread: .*cpu-worker\.js is not there/);
  });
});
