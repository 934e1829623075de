/**
 * Runs that are killed by SIGKILL at random moments, in a PID namespace of their own each time, so that every one of them has the
 * number of those before it: evaluate and replay, whole and with --memory, with --resume and --out, and convert. The results are
 * those of runs that were left alone, and nothing stays beside them.
 *
 *     npm run build && node test/large/kills.mjs [kills]        (as root, on Linux: unshare)
 */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const KILLS = Number(process.argv[2] ?? 100);
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'kills-'));
const at = (...names) => join(root, ...names);
for (const name of ['in', 'out', 'tmp']) mkdirSync(at(name));

const rows = Array.from({ length: 60_000 }, (_, t) => {
  const x = (t * 7919) % 1009;
  return `${(t * 31 + (x >> 3)) % 5},${x % 3 === 0 ? 1 : 0},${x},${(x * x) % 97}`;
});
writeFileSync(at('in/log.csv'), `arm,click,x,y\n${rows.join('\n')}\n`);
writeFileSync(at('in/set.json'), '[{"family":"constant"},{"family":"uniform","replicas":40}]');
writeFileSync(at('in/learners.json'), '[{"algorithm":"linucb"},{"algorithm":"exp3"}]');

const log = [at('in/log.csv'), '--arm', 'arm', '--payoff', 'click', '--numeric', 'x,y'];
const engine = ['--device', 'cpu', '--threads', '1', '--assume-uniform'];
const resume = ['--resume', at('out/state'), '--checkpoint-every', '0'];
const result = (name) => ['--out', at('out', name)];
const evaluate = ['evaluate', ...log, '--policies', at('in/set.json'), ...engine];
const replay = ['replay', ...log, '--learners', at('in/learners.json'), ...engine];
const COMMANDS = {
  evaluate: [...evaluate, ...result('evaluate.json')],
  'evaluate --resume': [...evaluate, ...resume, ...result('evaluate-resume.json')],
  'evaluate --memory --resume': [...evaluate, '--memory', '70MB', ...resume, ...result('evaluate-memory.json')],
  'replay --memory --resume': [...replay, '--memory', '70MB', ...resume, ...result('replay-memory.json')],
  'replay --resume': [...replay, ...resume, ...result('replay.json')],
  convert: ['convert', ...log, at('out/log.parquet')],
};

function start(argv) {
  const child = spawn(
    'unshare',
    ['--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', process.execPath, MAIN, ...argv],
    { env: { ...process.env, TMPDIR: at('tmp') }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const ended = new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stderr }));
  });
  return { child, ended };
}

/** A result without what a run took. */
function content(argv) {
  const file = argv.at(-1);
  if (!file.endsWith('.json')) return readFileSync(file).toString('base64');
  const { engine: _, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  return JSON.stringify(rest);
}

const names = Object.keys(COMMANDS);
const alone = new Map();
for (const [name, argv] of Object.entries(COMMANDS)) {
  const begin = Date.now();
  const { status, stderr } = await start(argv).ended;
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  alone.set(name, { text: content(argv), span: Date.now() - begin });
  rmSync(argv.at(-1));
}

let kills = 0;
let left = 0;
const faults = [];
for (let round = 0; kills < KILLS; round++) {
  const name = names[round % names.length];
  const argv = COMMANDS[name];
  const { text, span } = alone.get(name);
  const most = Math.ceil(KILLS / names.length);
  for (let n = 0; n < most && kills < KILLS; n++) {
    const { child, ended } = start(argv);
    await sleep((0.05 + 1.1 * Math.random()) * span);
    if (child.exitCode === null && child.kill('SIGKILL')) kills++;
    const { status, stderr } = await ended;
    if (status !== null && status !== 0) faults.push(`${name}: a later run ended with ${status}: ${stderr}`);
    left += readdirSync(at('out')).filter((file) => file.startsWith('.')).length + readdirSync(at('tmp')).length;
  }
  const { status, stderr } = await start(argv).ended;
  if (status !== 0) faults.push(`${name}: the last run ended with ${status}: ${stderr}`);
  else if (content(argv) !== text) faults.push(`${name}: another result`);
  rmSync(argv.at(-1), { force: true });
  const beside = [...readdirSync(at('out')), ...readdirSync(at('tmp'))];
  if (beside.length > 0) faults.push(`${name}: left ${beside.join(', ')}`);
  console.log(`${name}: ${kills} kills so far, ${faults.length} faults`);
}
rmSync(root, { recursive: true });
for (const fault of faults) console.error(fault);
console.log(`${kills} kills, which left ${left} files for the next run to sweep; ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
