/**
 * `node test/fuzz/run.mjs TARGET… [--inputs 200000] [--seed 1] [--first 0] [--limit-ms 20000] [--memory-mb 1500] [--no-keep]`
 *
 * Fuzzes readers, each in a thread that is ended where one input takes too long. Failing inputs are kept under cases/.
 * Exit status 1 where anything failed. Wants a build before it (npm run build).
 */

import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { inputOf, keepCase } from './harness.mjs';
import { TARGETS, targetOf } from './targets.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    inputs: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    'limit-ms': { type: 'string', default: '20000' },
    'memory-mb': { type: 'string', default: '1500' },
    keep: { type: 'boolean', default: true },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(TARGETS);
const seed = Number(values.seed);
const limitMs = Number(values['limit-ms']);
const memoryBytes = Number(values['memory-mb']) * 2 ** 20;

let failed = false;
for (const name of names) {
  const started = performance.now();
  const total = await fuzz(name, Number(values.first), Number(values.inputs));
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${name}: ${total.inputs} inputs (seed ${seed}), ${total.logs} logs with ${total.events} events, ${total.errors} located errors, ` +
      `${total.failures.length} failures; ${seconds.toFixed(1)} s, slowest ${total.slowestMs.toFixed(0)} ms (input ${total.slowest}), ` +
      `most memory ${(total.peak / 2 ** 20).toFixed(0)} MiB`,
  );
  for (const { input, message, file } of total.failures.slice(0, 20))
    console.log(`  input ${input}: ${message}\n    ${file ?? ''}`);
  if (total.failures.length > 0) failed = true;
}
process.exitCode = failed ? 1 : 0;

async function fuzz(name, first, inputs) {
  const target = await targetOf(name);
  const total = { inputs, logs: 0, errors: 0, events: 0, slowestMs: 0, slowest: -1, failures: [], peak: 0 };
  const fail = (input, message) => {
    const file = values.keep ? keepCase(target, seed, input, inputOf(target, seed, input)) : null;
    total.failures.push({ input, message, file });
  };
  const end = first + inputs;
  for (let from = first; from < end && total.failures.length < 100; ) {
    // A thread per batch: what one leaks shows in the process's memory, and what one hangs is lost alone.
    const count = Math.min(20_000, end - from);
    const { result, at, problem } = await batch(name, from, count, total);
    if (result !== null) {
      for (const key of ['logs', 'errors', 'events']) total[key] += result[key];
      total.failures.push(...result.failures);
      if (result.slowestMs > total.slowestMs) [total.slowestMs, total.slowest] = [result.slowestMs, result.slowest];
      from += count;
    } else {
      fail(at, problem);
      from = at + 1;
    }
    if (process.stderr.isTTY) process.stderr.write(`${name}: ${from - first} of ${inputs}\r`);
  }
  return total;
}

function batch(name, first, inputs, total) {
  const at = new SharedArrayBuffer(8);
  const counter = new Int32Array(at);
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
    workerData: { name, at, first, inputs, seed, limitMs, keep: values.keep },
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  return new Promise((resolve) => {
    let last = 0;
    let since = performance.now();
    const finish = (result, problem) => {
      clearInterval(watch);
      resolve({ result, problem, at: Atomics.load(counter, 0) });
    };
    const stop = (problem) => {
      finish(null, problem);
      worker.terminate().catch(() => {});
    };
    const watch = setInterval(() => {
      const memory = process.memoryUsage.rss();
      total.peak = Math.max(total.peak, memory);
      const count = Atomics.load(counter, 1);
      if (count !== last) [last, since] = [count, performance.now()];
      else if (performance.now() - since > limitMs) stop(`no end after ${limitMs} ms`);
      if (memory > memoryBytes) stop(`${(memory / 2 ** 20).toFixed(0)} MiB of memory`);
    }, 50);
    worker.once('message', (result) => finish(result));
    worker.once('error', (error) => finish(null, `the thread died: ${error.message}`));
  });
}
