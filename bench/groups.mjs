/**
 * Events decided in groups on the CPU engine, against the same engine without groups, for replay alone and for five estimators of which
 * three need choices, in one run. See docs/reference/performance.md.
 *
 *   node bench/groups.mjs [--quick | --smoke] [--threads N] [--out DIR]
 */

import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CpuBackend } from '../dist/engine/cpu/backend.js';
import { EstimatorSummands } from '../dist/estimate/estimator-summands.js';
import { chooseEstimators } from '../dist/estimate/estimators/choose.js';
import { replayColumns } from '../dist/estimate/estimators/replay-totals.js';
import { simulate } from '../dist/simulate/simulate.js';
import { simulateToday } from '../dist/simulate/today.js';
import { writeResult } from './lib/machine.mjs';
import { measure, short, table } from './lib/measure.mjs';
import { aroundFitted, difference, linearPolicies, makeLog, makePlan, predictionsOf, SEED } from './lib/work.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    threads: { type: 'string', default: '1' },
    out: { type: 'string', default: fileURLToPath(new URL('./results', import.meta.url)) },
  },
});

const SIZES = {
  full: { policies: 1024, events: [1e5, 1e6, 4e6], samples: 3 },
  quick: { policies: 1024, events: [1e5, 1e6], samples: 1 },
  smoke: { policies: 300, events: [3e4], samples: 1 },
};
const { policies, events, samples } = SIZES[options.smoke ? 'smoke' : options.quick ? 'quick' : 'full'];
const threads = Number(options.threads);

/** What contexts are like, and how a log of them is made. */
const WORLDS = {
  'six shares and a constant, pages of 20': (L) => simulateToday({ events: L, seed: SEED }).log,
  'R6A as `hindcast simulate` has it, contexts repeated': (L) => simulate({ events: L, seed: SEED }).log,
  'Gaussian, d = 6, K = 20': (L) => makeLog({ events: L, arms: 20, dimension: 6 }),
  'Gaussian, d = 20, K = 20': (L) => makeLog({ events: L, arms: 20, dimension: 20 }),
};

const FIVE = ['snips', 'ips', 'dm', 'dr', 'sndr'];
/** Predictions beyond which choice tables take too much memory here. */
const MOST_PREDICTIONS = 6e7;

/** What is added up for what; predictions are those of a ridge regression. */
function sumsOf(log) {
  const predictions = predictionsOf(log, MOST_PREDICTIONS);
  const replay = { replay: replayColumns(log.payoff) };
  if (predictions === null) return replay;
  const summands = new EstimatorSummands(log.payoff, chooseEstimators(FIVE, {}), false);
  summands.survey(log);
  summands.surveyModel(log, predictions);
  return { ...replay, [FIVE.join(', ')]: summands.columns(log, predictions) };
}

console.error(`CPU: ${threads} of ${os.availableParallelism()} threads of ${os.cpus()[0]?.model}`);
const rows = [];
for (const [world, make] of Object.entries(WORLDS)) {
  for (const L of events) {
    const log = make(L);
    const [arms, dimension] = [log.arms.ids.length, log.contexts.dimension];
    const random = linearPolicies({ policies, arms, dimension });
    // Half of them around fitted ones, as candidates are, and half of them guesses.
    const compiled = { ...random, weights: aroundFitted(log, random.weights, policies) };
    const plan = makePlan(log);
    for (const [sums, columns] of Object.entries(sumsOf(log))) {
      const engines = { grouped: new CpuBackend({ threads }), single: new CpuBackend({ threads, groups: false }) };
      const stats = {};
      const runs = Object.entries(engines).map(([name, engine]) => [
        name,
        async () => {
          stats[name] = await engine.evaluate(log, plan, compiled, columns);
        },
      ]);
      const measured = await measure(Object.fromEntries(runs), { samples });
      const { inGroups = null, decisions } = engines.grouped.report;
      const different = difference(stats.grouped, stats.single);
      if (different !== null) process.exitCode = 1;
      const row = { world, sums, policies, events: L, arms, dimension, pools: log.pools.count, ...measured };
      rows.push({ ...row, inGroups: inGroups === null ? null : inGroups / decisions, difference: different });
      for (const engine of Object.values(engines)) await engine.close();
    }
  }
}

const seconds = (value) => value.toPrecision(3);
console.log(
  table(
    ['contexts', 'sums', 'P', 'L', 'K', 'CPU s', 'one by one', 'times', 'in groups', 'difference'],
    rows.map(({ world, sums, events: L, arms, grouped, single, inGroups, difference: found }) => [
      ...[world, sums, policies, short(L), arms, seconds(grouped.cpuSeconds), seconds(single.cpuSeconds)],
      (single.cpuSeconds / grouped.cpuSeconds).toFixed(2),
      inGroups === null ? 'not tried' : `${(100 * inGroups).toFixed(1)} %`,
      found ?? 'none',
    ]),
  ),
);
console.log(`results in ${writeResult(options.out, options.smoke ? 'groups-smoke' : 'groups', { threads, rows })}`);
