/** Work to measure: seeded logs and policies. Every benchmark and every peer runs on these. */

import { Matrix, solve } from 'ml-matrix';
import { runBlocks } from '../../dist/estimate/blocks/blocks.js';
import { compilePolicySet, parsePolicySet } from '../../dist/policy/policy-set.js';
import { randomLinearPolicies } from '../../dist/simulate/linear-policies.js';
import { uniformLog } from '../../test/random-log.mjs';

export const SEED = 20110209;
/** Blocks of every benchmark: the default of `evaluate`. */
export const BLOCKS = 64;

/** Random events with dense contexts, all distinct unless `distinctContexts` says how many there are. */
export function makeLog({ events, arms, dimension, distinctContexts }) {
  return uniformLog({ events, arms, dimension, distinctContexts, seed: SEED });
}

export function makePlan(log) {
  return runBlocks(log.events, BLOCKS);
}

/** Weights [P, K, d] in f32, as given to every peer. */
export function makeWeights({ policies, arms, dimension }) {
  return randomLinearPolicies({ policies, arms, dimension, seed: SEED });
}

export function linearPolicies({ policies, arms, dimension }) {
  return {
    kind: 'scored',
    family: 'linear',
    policies,
    names: Array.from({ length: policies }, (_, p) => `linear ${p}`),
    weights: makeWeights({ policies, arms, dimension }),
    arms,
    dimension,
  };
}

/**
 * Weights of which every other policy is a ridge regression of payoffs on contexts, arm by arm, blended with its own noise: by a share that grows to a
 * tenth with the policy's number. The rest stay as they are.
 */
export function aroundFitted(log, weights, policies) {
  const size = weights.length / policies;
  const fitted = ridgeWeights(log);
  const deviation = Math.sqrt(fitted.reduce((sum, w) => sum + w * w, 0) / size);
  return weights.map((noise, i) => {
    const p = Math.floor(i / size);
    return p % 2 === 0 ? fitted[i % size] + ((0.1 * p) / policies) * deviation * noise : noise;
  });
}

/** What a ridge regression predicts for every arm in every context; `null` where that is more than so many numbers. */
export function predictionsOf(log, most) {
  const { dimension: d, values: x, row } = log.contexts;
  const [arms, rows] = [log.arms.ids.length, x.length / d];
  if (rows * arms > most) return null;
  const weights = ridgeWeights(log);
  const values = new Float64Array(rows * arms);
  for (let r = 0, at = 0; r < rows; r++)
    for (let a = 0; a < arms; a++, at++) for (let j = 0; j < d; j++) values[at] += weights[a * d + j] * x[r * d + j];
  return { values, rows, row };
}

/** [K, d] */
function ridgeWeights({ events, arm, payoff, arms, contexts: { dimension: d, values, row } }) {
  const sums = arms.ids.map(() => ({ squares: Matrix.eye(d), products: Matrix.zeros(d, 1) }));
  for (let t = 0; t < events; t++) {
    const x = (row === null ? t : row[t]) * d;
    const { squares, products } = sums[arm[t]];
    for (let i = 0; i < d; i++) {
      products.set(i, 0, products.get(i, 0) + payoff.steps[t] * values[x + i]);
      for (let j = 0; j < d; j++) squares.set(i, j, squares.get(i, j) + values[x + i] * values[x + j]);
    }
  }
  return Float64Array.from(sums.flatMap(({ squares, products }) => solve(squares, products).to1DArray()));
}

/** The log with a key column `segment` of so many values, and table policies over it: each picks an arm per value. */
export async function tableWork({ events, arms, policies, segments }) {
  const base = makeLog({ events, arms, dimension: 0 });
  const levels = Array.from({ length: segments }, (_, s) => String(s));
  const code = new Uint32Array(events);
  // A fixed mixing of the event's number: as good as random here, and it needs no draws.
  for (let t = 0; t < events; t++) code[t] = (Math.imul(t, 2654435761) >>> 8) % segments;
  const log = { ...base, keys: new Map([['segment', { levels, code }]]) };
  const tables = Array.from({ length: policies }, (_, p) => ({
    choices: Object.fromEntries(levels.map((level, s) => [level, base.arms.ids[(p * 7 + s * (1 + (p % 13))) % arms]])),
  }));
  const set = parsePolicySet([{ family: 'table', keys: ['segment'], tables }]);
  const [compiled] = await compilePolicySet(set, log);
  return { log, compiled };
}

/** Bytes of a log's columns, roughly, and of an engine's copies of them. */
export function logBytes({ events, dimension }) {
  return events * (dimension * 4 * 2 + 48);
}

/** Multiply-adds count as two: what a matrix product of scores would take. */
export function flops({ events, policies, arms, dimension }) {
  return 2 * events * policies * arms * dimension;
}

/** T and Ĝ (in steps) of every policy. */
export function totalsOf({ policies, blocks, matches, columns: [payoff] }) {
  const sum = (column) =>
    Float64Array.from({ length: policies }, (_, p) => {
      let total = 0;
      for (let b = 0; b < blocks; b++) total += column[p * blocks + b];
      return total;
    });
  return { T: sum(matches), G: sum(payoff) };
}

/** First difference between two block statistics as text, or `null`. */
export function difference(a, b) {
  for (const [c, column] of [a.matches, ...a.columns].entries()) {
    const other = c === 0 ? b.matches : b.columns[c - 1];
    const at = column.findIndex((value, i) => value !== other[i]);
    if (at >= 0) {
      const name = c === 0 ? 'matches' : a.kinds[c - 1].name;
      return `${name} of policy ${Math.floor(at / a.blocks)}, block ${at % a.blocks}: ${column[at]} and ${other[at]}`;
    }
  }
  return null;
}
