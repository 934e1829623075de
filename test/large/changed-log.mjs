// Runs that are killed at random moments, and gone on with after the log behind their checkpoint has changed in one event:
// each ends with the result of the log that is there, or is refused with exit status 2.
// Run: node test/large/changed-log.mjs [KILLS] [SEED]

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const kills = Number(process.argv[2] ?? 20);
let seed = Number(process.argv[3] ?? 1);
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hindcast-changed-'));
const file = (name) => join(folder, name);

/** Marsaglia's xorshift32. */
function random() {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) / 2 ** 32;
}

const EVENTS = 200_000;
const rows = Array.from({ length: EVENTS }, (_, t) => [
  Math.floor(random() * 8),
  random() < 0.2 ? 1 : 0,
  random().toFixed(3),
  new Date(1.6e12 + 1000 * t).toISOString(),
  `u${Math.floor(random() * 500)}`,
]);
const write = (name, list) =>
  writeFileSync(file(name), `arm,payoff,age,time,user\n${list.map((row) => row.join(',')).join('\n')}\n`);
write('log.csv', rows);
writeFileSync(
  file('policies.json'),
  JSON.stringify([
    { family: 'linear', weights: Array.from({ length: 60 }, () => Array.from({ length: 8 }, () => [random()])) },
  ]),
);
writeFileSync(
  file('learners.json'),
  JSON.stringify([{ algorithm: 'linucb', alpha: [0.1, 0.3, 1] }, { algorithm: 'exp3' }]),
);
const columns = '--arm arm --payoff payoff --numeric age --time time --user user'.split(' ');
const cpu = '--device cpu --threads 1 --format json'.split(' ');
const commands = {
  evaluate: ['evaluate', '--policies', file('policies.json')],
  replay: ['replay', '--learners', file('learners.json')],
};

function start(argv) {
  const child = spawn(process.execPath, [main, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })));
  return { child, ended };
}

/** The result, without what a run takes and where the log lies. */
function resultOf(stdout) {
  const { engine, log, ...result } = JSON.parse(stdout);
  return JSON.stringify({ ...result, log: { ...log, files: [] } });
}

/** The rows with another value in one column of event `at`. */
function changedAt(at, column) {
  const row = [...rows[at]];
  const others = [
    (v) => (v + 1) % 8,
    (v) => 1 - v,
    (v) => (Number(v) / 2).toFixed(3),
    () => '2020-09-13T00:00:00.5Z',
    () => 'u0',
  ];
  row[column] = others[column](row[column]);
  return rows.map((old, t) => (t === at ? row : old));
}

const count = { refused: 0, identical: 0, wrong: 0 };
for (let k = 0, found = 0; found < kills && k < 10 * kills; k++) {
  const [name, [verb, ...inputs]] = Object.entries(commands)[k % 2];
  const packed = k % 3 === 2;
  const memory = k % 6 < 3 ? ['--memory', '360MB'] : [];
  const at = Math.floor(random() * EVENTS);
  const column = Math.floor(random() * 5);
  write('changed.csv', changedAt(at, column));
  const log = file(packed ? 'packed.parquet' : 'here.csv');
  const put = async (source) => {
    if (!packed) return writeFileSync(log, readFileSync(file(source)));
    rmSync(log, { force: true });
    await start(['convert', file(source), log, ...columns]).ended;
  };
  await put('log.csv');
  const reading = packed ? [log] : [log, ...columns];
  const resume = ['--resume', file('state'), '--checkpoint-every', '0'];
  const argv = [verb, ...reading, ...inputs, ...cpu, ...memory];
  const begin = Date.now();
  const { child, ended } = start([...argv, ...resume]);
  // Not before there is something to go on from.
  while (!existsSync(file('state')) && child.exitCode === null) await sleep(5);
  await sleep(random() * 0.5 * (Date.now() - begin));
  child.kill('SIGKILL');
  await ended;
  if (!existsSync(file('state'))) continue;
  found++;
  await put('changed.csv');
  const resumed = await start([...argv, ...resume]).ended;
  let outcome = 'wrong';
  if (resumed.status === 2 && resumed.stderr.includes('belongs to another run')) outcome = 'refused';
  else if (resumed.status === 0) {
    const alone = await start(argv).ended;
    if (resultOf(alone.stdout) === resultOf(resumed.stdout)) outcome = 'identical';
  }
  count[outcome]++;
  console.log(
    `${found}: ${name} ${packed ? 'packed' : 'csv'} ${memory.join(' ')} event ${at} column ${column}: ${outcome}`,
  );
  if (outcome === 'wrong') console.log(resumed.stderr.slice(0, 400));
  rmSync(file('state'), { force: true });
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify(count));
process.exitCode = count.wrong === 0 && count.refused + count.identical === kills ? 0 : 1;
