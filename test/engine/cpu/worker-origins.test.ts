/** Worker threads of both verbs start wherever the caller's code came from: text, standard input, a worker, loaders, a bundle. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { eachCase, LONG } from '../../long.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-origins-'));
afterAll(() => rmSync(folder, { recursive: true }));
const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url));

/** Work that takes threads: 2 million decisions and more; learners whose matrices (K d³ over 5·10⁷) would hold up this one. */
const BODY = `
let started = 0;
process.on('worker', () => { started++; });
const events = 21000, draw = (t, j) => ((t + 1) * (2 * j + 3) * 7919 % 1009) / 1009;
const log = (n, d) => logFromColumns({
  arm: Array.from({ length: n }, (_, t) => 'ab'[draw(t, 1) < 0.5 ? 0 : 1]),
  payoff: Array.from({ length: n }, (_, t) => t % 3 === 0 ? 1 : 0),
  context: Array.from({ length: n }, (_, t) => Array.from({ length: d }, (_, j) => draw(t, j + 2))),
});
const weights = Array.from({ length: 100 }, (_, p) => [0, 1].map((a) => [0, 1, 2].map((j) => Math.sin(p * 6 + a * 3 + j))));
const options = { device: 'cpu', threads: 2, assumeUniform: true };
const one = await evaluate({ log: log(events, 3), policies: [{ family: 'linear', weights }], ...options });
const evaluating = started;
const learners = [{ algorithm: 'linucb', alpha: [0.5, 1] }];
const two = await replay(log(60, 300), learners, options);
const sum = (all) => all.reduce((total, { matches }, i) => total + matches * (i + 1), 0);
console.log('matches', sum(one.policies), sum(two.learners), 'workers', evaluating, started - evaluating);
`;
const INDEX = pathToFileURL(join(DIST, 'index.js')).href;
const NAMES = '{ evaluate, logFromColumns, replay }';
/** Text that works as a module and in a function of CommonJS. */
const TEXT = `const ${NAMES} = await import(${JSON.stringify(INDEX)});${BODY}`;

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

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const script = file('script.mjs', TEXT);
const loader = pathToFileURL(file('loader.mjs', 'export {};')).href;
const hooks = file('hooks.mjs', 'export const resolve = (name, context, next) => next(name, context);');
const registering = pathToFileURL(
  file(
    'registering.mjs',
    `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hooks).href)});`,
  ),
).href;
const inWorker = `new (require('node:worker_threads').Worker)(${JSON.stringify(script)})`;
const expected = node({ argv: [script] });
const [line] = /matches \d+ \d+ workers 2 2\n/.exec(expected) ?? [];

describe('threads of evaluate and replay', () => {
  test('start from a script, and find what one thread finds', () => {
    expect(expected).toBe(`0 ${line}`);
    const alone = file('alone.mjs', TEXT.replace('threads: 2', 'threads: 1'));
    expect(node({ argv: [alone] }).replace(/workers.*/, '')).toBe(`0 ${line?.replace(/workers.*/, '')}`);
  });

  const ORIGINS: readonly (Run & { readonly name: string; readonly long?: boolean })[] = [
    { name: '-e', argv: ['--input-type=module', '-e', TEXT] },
    { name: '--eval with CommonJS', argv: ['-e', `(async () => {${TEXT}})()`], long: true },
    { name: 'standard input', argv: ['--input-type=module', '-'], input: TEXT, long: true },
    { name: 'a loader', argv: ['--import', loader, script], long: true },
    { name: 'a loader with hooks', argv: ['--import', registering, script], long: true },
    { name: 'a loader and -e', argv: ['--import', registering, '--input-type=module', '-e', TEXT], long: true },
    { name: 'NODE_OPTIONS', argv: [script], env: { NODE_OPTIONS: `--import ${loader}` }, long: true },
    { name: 'NODE_OPTIONS for text', argv: ['-e', TEXT], env: { NODE_OPTIONS: '--input-type=module' }, long: true },
    { name: 'flags of the heap', argv: ['--max-old-space-size=500', '--expose-gc', script], long: true },
    { name: 'a worker', argv: ['-e', inWorker], long: true },
    { name: 'a worker of -e with hooks', argv: ['--import', registering, '-e', inWorker], long: true },
  ];
  eachCase(ORIGINS, (run) => {
    const output = node(run);
    expect(output).toContain(line);
    expect(output).not.toMatch(/Error|Warning/);
  });

  test('start from the REPL', LONG, async () => {
    // Its end of input is the end of the process: input stays open.
    const repl = spawn(process.execPath, ['-i'], { env: { ...process.env, NODE_OPTIONS: '' } });
    let output = '';
    repl.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    const ended = new Promise((resolve) => repl.once('close', resolve));
    repl.stdin.write(`(async () => {${TEXT.replaceAll('\n', ' ')} process.exit(0); })();\n`);
    await ended;
    expect(output).toContain(line);
  });
});

describe("a bundler's output", () => {
  interface Rolldown {
    rolldown(options: object): Promise<{ write(options: object): Promise<unknown> }>;
  }
  // The bundler of the test runner's own bundler.
  const vitest = createRequire(import.meta.url).resolve('vitest/package.json');
  const vite = createRequire(vitest).resolve('vite/package.json');

  async function bundle(name: string, format: 'esm' | 'cjs', entries: Record<string, string>): Promise<string> {
    const { rolldown } = (await import(
      pathToFileURL(createRequire(vite).resolve('rolldown')).href
    )) as unknown as Rolldown;
    const built = await rolldown({
      input: entries,
      platform: 'node',
      // Binaries stay packages.
      external: [/^@duckdb\//, 'webgpu', '@sparticuz/chromium'],
      logLevel: 'silent',
    });
    const extension = format === 'esm' ? 'mjs' : 'cjs';
    await built.write({
      dir: join(folder, name),
      format,
      entryFileNames: (chunk: { name: string }) => (chunk.name === 'main' ? `main.${extension}` : '[name].js'),
      chunkFileNames: `part-[hash].${extension}`,
    });
    if (format === 'esm') writeFileSync(join(folder, name, 'package.json'), '{ "type": "module" }');
    return join(folder, name, `main.${extension}`);
  }

  const text = `import ${NAMES} from ${JSON.stringify(join(DIST, 'index.js'))};\n`;
  const counts = line?.replace(/workers.*\n/, '');

  test.each(['esm', 'cjs'] as const)('%s works on one thread, and says why where it can', LONG, async (format) => {
    // CommonJS knows no await at its top.
    const main = file(`main-${format}.mjs`, format === 'esm' ? text + BODY : `${text}(async () => {${BODY}})();`);
    const output = node({ argv: [await bundle(format, format, { main })] });
    expect(output).toMatch(new RegExp(`^0 ${counts}workers 0 0\n`));
    if (format === 'esm') expect(output).toMatch(/hindcast runs on one thread: .*cpu-worker\.js is not there/);
  });

  test('with the workers beside it starts threads', LONG, async () => {
    const workers = Object.fromEntries(
      ['cpu/cpu-worker', 'learner-cpu/replay-worker'].map((name) => [basename(name), join(DIST, `engine/${name}.js`)]),
    );
    const output = node({ argv: [await bundle('beside', 'esm', { main: file('main.mjs', text + BODY), ...workers })] });
    expect(output).toBe(`0 ${line}`);
  });
});
