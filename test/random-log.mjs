/** Uniformly logged random events without a meaning: input for benchmarks and for tests of engines against each other. */

import { InputError } from '../dist/errors.js';
import { logFromColumns } from '../dist/log/from-columns/columns.js';
import { scaleToIndex } from '../dist/random/threefry.js';
import { checkWhole, PURPOSE, WorldDraws } from '../dist/simulate/draws.js';

/**
 * @typedef {object} UniformLogOptions
 * @property {number} events L
 * @property {number} arms K
 * @property {number} dimension d; 0 for a log without contexts.
 * @property {number} seed A whole number in 0..2³²−1.
 * @property {'f32' | 'f64' | ArrayLike<number>} [values] Entries of contexts: bell-shaped with mean 0 and variance 1, rounded to
 *   f32 (`f32`, the default) or not (`f64`); or a list of values to choose from, each as likely (ties, subnormals, huge ones).
 * @property {number} [distinctContexts] Number of distinct contexts; default: one per event.
 * @property {{ kind: 'binary', rate?: number } | { kind: 'steps', max: number }} [payoff] 0/1 with the rate of ones (the default,
 *   0.05), or whole numbers 0..max (`steps`), uniform; max below 2³².
 * @property {number} [pools] Number of distinct random candidate sets of 1..K arms; default: every arm at every event.
 * @property {number} [smallestPool] Smallest candidate set; default 1.
 */

/**
 * A random log: context, candidate set, arm and payoff of every event are independent draws, the arm uniform in its set.
 *
 * @param {UniformLogOptions} options
 * @returns {import('../dist/log/event-log.js').EventLog}
 * @throws InputError for options out of range.
 */
export function uniformLog(options) {
  const { events, arms, dimension, seed, payoff = { kind: 'binary' } } = options;
  checkWhole('the number of events', events, 0);
  checkWhole('the number of arms', arms, 1);
  checkWhole('the dimension', dimension, 0);
  const draws = new WorldDraws(seed);
  const pools = options.pools === undefined ? null : randomPools(options.pools, arms, options.smallestPool ?? 1, draws);
  const pool = new Uint32Array(events);
  const armIndex = new Uint32Array(events);
  const propensity = new Float64Array(events);
  for (let t = 0; t < events; t++) {
    const { first, second } = draws.draw(t, PURPOSE.randomLogging);
    pool[t] = pools === null ? 0 : scaleToIndex(second, pools.length);
    const size = pools === null ? arms : pools[pool[t]].length;
    const i = scaleToIndex(first, size);
    armIndex[t] = pools === null ? i : pools[pool[t]][i];
    propensity[t] = 1 / size;
  }
  return logFromColumns({
    armIndex,
    arms,
    payoff: randomPayoffs(events, payoff, draws),
    payoffRange: payoff.kind === 'binary' ? [0, 1] : [0, Math.max(1, payoff.max)],
    context: dimension === 0 ? undefined : { values: randomContexts(options, draws), dimension },
    candidates: pools === null ? undefined : { pools, pool },
    propensity,
  });
}

function randomPayoffs(events, payoff, draws) {
  if (payoff.kind === 'steps') {
    checkWhole('the largest payoff', payoff.max, 0);
    const count = Math.min(payoff.max + 1, 2 ** 32);
    return Float64Array.from({ length: events }, (_, t) => draws.below(count, t, PURPOSE.randomPayoff));
  }
  const rate = payoff.rate ?? 0.05;
  if (!(rate >= 0 && rate <= 1)) {
    throw new InputError({
      problem: 'the rate of payoffs is not usable',
      got: String(rate),
      needed: 'a number in [0, 1]',
    });
  }
  return Float64Array.from({ length: events }, (_, t) => (draws.unit(t, PURPOSE.randomPayoff) < rate ? 1 : 0));
}

function randomContexts(options, draws) {
  const { events, dimension, values = 'f32', distinctContexts } = options;
  if (distinctContexts !== undefined) checkWhole('the number of distinct contexts', distinctContexts, 1);
  const contexts = values === 'f32' ? new Float32Array(events * dimension) : new Float64Array(events * dimension);
  for (let t = 0; t < events; t++) {
    const row = distinctContexts === undefined ? t : draws.below(distinctContexts, t, PURPOSE.randomContext);
    for (let j = 0; j < dimension; j++) {
      const purpose = PURPOSE.randomContext + 1 + j;
      contexts[t * dimension + j] =
        typeof values === 'string' ? draws.bell(row, purpose) : values[draws.below(values.length, row, purpose)];
    }
  }
  return contexts;
}

/** Random subsets of 0..K−1, ascending. */
function randomPools(count, arms, smallest, draws) {
  checkWhole('the number of candidate sets', count, 1);
  checkWhole('the smallest candidate set', smallest, 1);
  if (smallest > arms) {
    throw new InputError({
      problem: 'the smallest candidate set is not usable',
      got: `${smallest} arms`,
      needed: `at most ${arms}, all there are`,
    });
  }
  return Array.from({ length: count }, (_, s) => {
    const size = smallest + draws.below(arms - smallest + 1, s, PURPOSE.randomPool);
    const all = Uint32Array.from({ length: arms }, (_, a) => a);
    // Fisher and Yates, as far as needed.
    for (let i = 0; i < size; i++) {
      const k = i + draws.below(arms - i, s, PURPOSE.randomPool + 1 + i);
      [all[i], all[k]] = [all[k], all[i]];
    }
    return all.slice(0, size).sort();
  });
}
