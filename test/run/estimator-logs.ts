/** What the tests of all estimators at once share, on the CPU and on a GPU. */

import type { EvaluateOptions } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { skewedLog } from './thinned-log.js';

export const ALL_ESTIMATORS = {
  estimators: [
    ...(['snips', 'ips', 'ips-clip', 'snips-clip', 'dm', 'dr'] as const),
    ...(['dr-clip', 'switch-dr', 'dros', 'sndr', 'cressie-read'] as const),
  ],
  ...{ clip: 3, switch: 4, shrinkage: 10 },
} satisfies Partial<EvaluateOptions>;

/** Forty events of two arms over eight days and five users. */
export const L = 40;
export const DAY = 86_400_000;
export const events = Array.from({ length: L }, (_, t) => ({
  arm: t % 3 === 0 ? 'a' : 'b',
  payoff: (t * 7) % 4 === 0 || t % 11 === 0 ? 1 : 0,
  p: t % 3 === 0 ? [0.5, 0.25][t % 2] : [0.75, 0.5][t % 2],
  time: Date.UTC(2024, 0, 1) + Math.floor(t / 5) * DAY,
  user: `u${(t * t) % 5}`,
}));
export const columns = {
  arm: events.map(({ arm }) => arm),
  payoff: events.map(({ payoff }) => payoff),
  time: events.map(({ time }) => time),
  user: events.map(({ user }) => user),
};
export const log = logFromColumns({ ...columns, propensity: events.map(({ p }) => p) });

const MANY = 300;

/** Arm d is a candidate of two events in three, and never logged; e is no candidate at all. */
export const UNLOGGED: EventLog = logFromColumns({
  arm: Array.from({ length: MANY }, (_, t) => 'abc'[((t * 7) % 5) % 3]),
  arms: ['a', 'b', 'c', 'd', 'e'],
  candidates: Array.from({ length: MANY }, (_, t) => (t % 3 === 0 ? ['a', 'b', 'c'] : ['a', 'b', 'c', 'd'])),
  payoff: Array.from({ length: MANY }, (_, t) => Number(t % 4 === 0)),
  propensity: Array.from({ length: MANY }, (_, t) => [0.25, 0.5, 0.125][t % 3]),
  context: Array.from({ length: MANY }, (_, t) => [1, (t % 5) - 2, ((t * t) % 7) - 3]),
});

const WEIGHTS = Array.from({ length: 20 }, (_, p) =>
  [0, 1, 2, 3, 4].map((a) => [0, 1, 2].map((j) => ((p * 31 + a * 17 + j * 7) % 11) - 5)),
);

/** Policies on it, and events at which each chooses d where it may; by hand, the first of equals winning. */
export const UNLOGGED_POLICIES: readonly PolicyInput[] = [
  { family: 'constant' },
  { family: 'linear', weights: WEIGHTS },
];
const may = (t: number): boolean => t % 3 !== 0;
const all = Array.from({ length: MANY }, (_, t) => t);
export const UNLOGGED_CHOICES: readonly number[] = [
  ...[0, 0, 0, all.filter(may).length, 0],
  ...WEIGHTS.map(
    (weights) =>
      all.filter((t) => {
        const x = [1, (t % 5) - 2, ((t * t) % 7) - 3];
        const scores = weights.map((row) => row.reduce((sum, w, j) => sum + w * x[j], 0));
        return may(t) && scores.slice(0, 3).every((score) => score < scores[3]);
      }).length,
  ),
];

export const SKEWED: readonly (readonly [name: string, log: EventLog])[] = [
  ['contexts that are there again, pools of several sizes', skewedLog({ events: MANY })],
  ['a context per event, payoffs of several steps', skewedLog({ events: MANY, maxPayoff: 9, table: false })],
  ['one pool', skewedLog({ events: MANY, pools: false })],
];
