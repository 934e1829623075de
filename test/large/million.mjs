/**
 * 4,096 policies on 1,000,000 simulated events: the CPU engine, eight policies against the definition, and a slice of the
 * policies on a software adapter, with time and peak memory. Run by hand after `npm run build`:
 *
 *     node test/large/million.mjs [adapter, default swiftshader] [policies of the slice, default 64]
 *
 * Exit status 1 where anything differs.
 */

import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { GpuBackend } from '#dist/engine/gpu/backend.js';
import { referenceStatistics } from '#dist/engine/verify/reference.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { openDevice } from '#dist/gpu/device.js';
import { randomLinearPolicies } from '#dist/simulate/linear-policies.js';
import { simulateToday } from '#dist/simulate/today.js';
import { replayColumns } from '../../dist/estimate/estimators/replay-totals.js';

const [adapter = 'swiftshader', sliceText = '64'] = process.argv.slice(2);
const POLICIES = 4096;
const EVENTS = 1_000_000;
const REFERENCE = 8;

function report(text, started) {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const peak = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  console.log(`${text}: ${seconds} s; peak memory so far ${peak} MiB`);
}

/** Number of differing entries between rows of `got` and the named rows of `needed`. */
function differences(got, needed, rows) {
  let count = 0;
  const columnsOf = ({ matches, columns }) => [matches, ...columns];
  for (const [c, column] of columnsOf(got).entries()) {
    rows.forEach((row, i) => {
      for (let b = 0; b < needed.blocks; b++) {
        if (column[i * got.blocks + b] !== columnsOf(needed)[c][row * needed.blocks + b]) count++;
      }
    });
  }
  return count;
}

function verdict(text, count) {
  console.log(`  ${text}: ${count === 0 ? 'equal in every block' : `${count} DIFFERENCES`}`);
  if (count > 0) process.exitCode = 1;
}

let started = performance.now();
const { log, theta } = simulateToday({ events: EVENTS, seed: 1 });
const [arms, dimension] = [log.arms.ids.length, log.contexts.dimension];
const batchOf = (weights, policies) => ({
  kind: 'scored',
  family: 'linear',
  policies,
  names: Array.from({ length: policies }, (_, p) => `linear ${p}`),
  weights,
  arms,
  dimension,
});
const weights = randomLinearPolicies({ policies: POLICIES, arms, dimension, seed: 2, theta });
const compiled = batchOf(weights, POLICIES);
const plan = runBlocks(log.events);
report(
  `${EVENTS} events, ${POLICIES} policies, K = ${arms} (${log.pools.arms.length / log.pools.count} at a time), d = ${dimension}`,
  started,
);

started = performance.now();
const cpu = new CpuBackend();
const stats = await cpu.evaluate(log, plan, compiled, replayColumns(log.payoff));
await cpu.close();
report(
  `CPU, ${cpu.report.threads} threads, ${((POLICIES * EVENTS) / cpu.report.seconds / 1e6).toFixed(0)} million decisions/s`,
  started,
);

started = performance.now();
const chosen = Array.from({ length: REFERENCE }, (_, i) => Math.round((i * (POLICIES - 1)) / (REFERENCE - 1)));
let wrong = 0;
for (const policy of chosen) wrong += differences(referenceStatistics(log, plan, compiled, policy), stats, [policy]);
report(`definition, ${REFERENCE} policies`, started);
verdict(`CPU against the definition, policies ${chosen.join(', ')}`, wrong);

started = performance.now();
const slice = Number(sliceText);
const size = arms * dimension;
const rows = Array.from({ length: slice }, (_, i) => Math.floor((i * POLICIES) / slice));
const sliceWeights = new Float32Array(slice * size);
rows.forEach((row, i) => {
  sliceWeights.set(weights.subarray(row * size, (row + 1) * size), i * size);
});
const { device, description } = await openDevice(adapter);
const gpu = new GpuBackend(device, { description: description.name });
const gpuStats = await gpu.evaluate(log, plan, batchOf(sliceWeights, slice), replayColumns(log.payoff));
await gpu.close();
device.destroy();
const { settledOnCpu, seconds } = gpu.report;
report(
  `${description.name}, ${slice} policies, ${((slice * EVENTS) / seconds / 1e6).toFixed(0)} million decisions/s, ${settledOnCpu} settled on the CPU`,
  started,
);
verdict(`${adapter} against the CPU, ${slice} policies spread over the set`, differences(gpuStats, stats, rows));
