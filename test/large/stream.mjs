// How much memory does a run with --memory take, on logs of growing size? Policies and learners, each in a process of its own.
// Run: node test/large/stream.mjs [MEMORY] [EVENTS …]

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writePacked } from '../../dist/packed/write.js';
import { parseMemory } from '../../dist/run/memory/plan.js';
import { uniformLog } from '../random-log.mjs';

const [memory = '150MB', ...sizes] = process.argv.slice(2);
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hindcast-large-'));
const ARMS = 20;
const DIMENSION = 6;
/** Events of the part of a log that is made at a time. */
const PART = 2 ** 19;

/** A log of many parts, each a random log of its own, as a stream: nobody has to hold it. */
function growing(events) {
  const part = (number, length) =>
    uniformLog({ events: length, arms: ARMS, dimension: DIMENSION, seed: number, pools: 50, smallestPool: 8 });
  const first = part(0, PART);
  const whole = { ...first, firstEvent: undefined };
  return {
    head: emptied(whole),
    events,
    bytesPerEvent: 40,
    async read(from, to) {
      const log = part(Math.floor(from / PART), PART);
      if (Math.floor((to - 1) / PART) !== Math.floor(from / PART)) throw new Error('parts are read one at a time');
      // Candidate sets are those of the first part, and arms are drawn anew from them.
      return cut(
        { ...log, pools: { ...first.pools, pool: first.pools.pool }, arm: first.arm, propensity: first.propensity },
        from % PART,
        to - from,
      );
    },
    async close() {},
  };
}

function cut(log, from, events) {
  const to = from + events;
  const { dimension } = log.contexts;
  return {
    ...log,
    events,
    arm: log.arm.subarray(from, to),
    payoff: { ...log.payoff, steps: log.payoff.steps.subarray(from, to) },
    contexts: { ...log.contexts, rows: events, values: log.contexts.values.subarray(from * dimension, to * dimension) },
    pools: { ...log.pools, pool: log.pools.pool?.subarray(from, to) ?? null },
    propensity: log.propensity?.subarray(from, to) ?? null,
  };
}

function emptied(log) {
  return cut(log, 0, 0);
}

/** Runs the command and looks at its resident set ten times a second. */
function measured(argv) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    let peak = 0;
    const timer = setInterval(() => {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
        peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? peak);
      } catch {
        // It has just ended.
      }
    }, 100);
    child.once('error', reject);
    child.once('close', (status) => {
      clearInterval(timer);
      if (status !== 0) reject(new Error(`hindcast ended with status ${status}`));
      else resolve({ stdout, peak: (peak * 1024) / 1e6, seconds: (performance.now() - started) / 1000 });
    });
  });
}

const weights = Array.from({ length: 50 }, (_, p) =>
  Array.from({ length: ARMS }, (_, a) => Array.from({ length: DIMENSION }, (_, j) => Math.sin(p * 31 + a * 7 + j))),
);
writeFileSync(join(folder, 'set.json'), JSON.stringify([{ family: 'linear', weights }, { family: 'constant' }]));
writeFileSync(join(folder, 'learners.json'), '[{ "algorithm": "linucb" }, { "algorithm": "emp" }]');
const results = (stdout) => {
  const { engine: _, ...result } = JSON.parse(stdout);
  return JSON.stringify(result);
};

try {
  const base = await measured(['plan', '--valid-events', '10', '--arms', '2', '--format', 'json']);
  console.log(`hindcast without a log: ${base.peak.toFixed(0)} MB resident`);
  for (const events of sizes.length === 0 ? [2 ** 19, 2 ** 21, 2 ** 23] : sizes.map(Number)) {
    const file = join(folder, `log-${events}.parquet`);
    const handle = await open(file, 'w');
    await writePacked(growing(events), handle);
    await handle.close();
    const bytes = statSync(file).size / 1e6;
    console.log(
      `\n${events} events, ${bytes.toFixed(0)} MB packed, about ${((events * 44) / 1e6).toFixed(0)} MB in memory`,
    );
    const commands = {
      evaluate: ['evaluate', file, '--policies', join(folder, 'set.json')],
      replay: ['replay', file, '--learners', join(folder, 'learners.json'), '--repeats', '2'],
    };
    for (const [name, command] of Object.entries(commands)) {
      const common = [...command, '--device', 'cpu', '--format', 'json', '--assume-uniform'];
      const bound = await measured([...common, '--memory', memory]);
      const free = events <= 2 ** 21 ? await measured(common) : null;
      const same = free === null ? '' : results(free.stdout) === results(bound.stdout) ? ', identical' : ', DIFFERENT';
      const whole = free === null ? 'not run' : `${free.peak.toFixed(0)} MB, ${free.seconds.toFixed(1)} s`;
      const { least } = JSON.parse(bound.stdout).engine.memory;
      const limit = parseMemory(memory) / 1e6;
      const held =
        bound.peak <= limit
          ? 'held'
          : limit < least / 1e6
            ? `below the least, ${(least / 1e6).toFixed(0)} MB`
            : 'EXCEEDED';
      console.log(
        `  ${name}: --memory ${memory} ${bound.peak.toFixed(0)} MB (${held}), ${bound.seconds.toFixed(1)} s; in memory ${whole}${same}`,
      );
      if (same === ', DIFFERENT' || held === 'EXCEEDED') process.exitCode = 1;
    }
    rmSync(file);
  }
} finally {
  rmSync(folder, { recursive: true });
}
