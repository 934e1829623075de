/**
 * The case table: one seeded list of (log, block plan, policies) serves the CPU engine, SwiftShader and llvmpipe. Each case
 * names what is hard about it. Built lazily, because some are large.
 */
import { periodBlocks, userBlocks } from '#dist/estimate/blocks/block-makers.js';
import { type BlockPlan, runBlocks } from '#dist/estimate/blocks/blocks.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { CompiledPolicies, MatrixPolicies, UniformPolicies } from '#dist/policy/compiled.js';
import { emptyChoices } from '#dist/policy/compiled.js';
import type { LinearPolicies } from '#dist/policy/linear/cpu.js';
import { generator, sample } from './draws.js';
import { JOINT_CASES } from './joint-cases.js';

export interface Case {
  readonly name: string;
  /** Left to the long run (test/long.ts). */
  readonly long?: boolean;
  build(): { log: EventLog; plan: BlockPlan; compiled: CompiledPolicies };
}

export { generator } from './draws.js';

interface LogShape {
  events: number;
  arms: number;
  dimension: number;
  seed?: number;
  /** Value of feature j at event t. Default: uniform in (−1, 1). */
  feature?: (draw: () => number, t: number, j: number) => number;
  /** Payoff of event t. Default: a click, 0 or 1. */
  payoff?: (draw: () => number, t: number) => number;
  payoffRange?: [number, number];
  /** Candidate sets: how many, and how large; default one shared set. */
  pools?: { count: number; size: number; runs?: number };
  f64?: boolean;
}

export function makeLog({
  events,
  arms,
  dimension,
  seed = 1,
  feature,
  payoff,
  payoffRange,
  pools,
  f64,
}: LogShape): EventLog {
  const draw = generator(seed);
  const index = (n: number): number => Math.floor(draw() * n);
  const sets = pools === undefined ? null : Array.from({ length: pools.count }, () => sample(arms, pools.size, draw));
  const pool = Array.from({ length: events }, (_, t) =>
    pools === undefined ? 0 : pools.runs === undefined ? index(pools.count) : Math.floor(t / pools.runs) % pools.count,
  );
  const armIndex = Array.from({ length: events }, (_, t) => {
    if (sets === null) return index(arms);
    const set = sets[pool[t]];
    return set[index(set.length)];
  });
  const values = new (f64 ? Float64Array : Float32Array)(events * dimension);
  for (let t = 0; t < events; t++) {
    for (let j = 0; j < dimension; j++)
      values[t * dimension + j] = feature === undefined ? draw() * 2 - 1 : feature(draw, t, j);
  }
  return logFromColumns({
    armIndex,
    arms,
    payoff: Array.from({ length: events }, (_, t) =>
      payoff === undefined ? Math.floor(draw() * 1.3) : payoff(draw, t),
    ),
    payoffRange,
    context: dimension === 0 ? undefined : { values, dimension },
    candidates: sets === null ? undefined : { pools: sets, pool },
  });
}

export function linearPolicies(
  policies: number,
  arms: number,
  dimension: number,
  weight: (p: number, a: number, j: number) => number,
  f64 = false,
): LinearPolicies {
  const weights = new (f64 ? Float64Array : Float32Array)(policies * arms * dimension);
  let at = 0;
  for (let p = 0; p < policies; p++)
    for (let a = 0; a < arms; a++) for (let j = 0; j < dimension; j++) weights[at++] = weight(p, a, j);
  return {
    kind: 'scored',
    family: 'linear',
    policies,
    names: Array.from({ length: policies }, (_, p) => `linear ${p}`),
    weights,
    arms,
    dimension,
  };
}

export function randomLinear(policies: number, log: EventLog, seed = 2, f64 = false): LinearPolicies {
  const draw = generator(seed);
  return linearPolicies(policies, log.arms.ids.length, log.contexts.dimension, () => draw() * 2 - 1, f64);
}

function uniformPolicies(policies: number, seed: number): UniformPolicies {
  return {
    kind: 'uniform',
    family: 'uniform',
    policies,
    names: Array.from({ length: policies }, (_, p) => `uniform ${p}`),
    seed,
    replica: Uint32Array.from({ length: policies }, (_, p) => p),
  };
}

/** A choice matrix over the given cells; a fifth of the cells get no arm. */
function matrixPolicies(policies: number, log: EventLog, cells: MatrixPolicies['cells'], seed = 3): MatrixPolicies {
  const draw = generator(seed);
  const choices = emptyChoices(policies, cells.count, log.arms.ids.length);
  for (let i = 0; i < choices.length; i++) if (draw() < 0.8) choices[i] = Math.floor(draw() * log.arms.ids.length);
  return {
    kind: 'matrix',
    family: 'choices',
    policies,
    names: Array.from({ length: policies }, (_, p) => `matrix ${p}`),
    cells,
    choices,
  };
}

const simple = (name: string, shape: LogShape, policies = 5, blocks = 4): Case => ({
  name,
  build: () => {
    const log = makeLog(shape);
    return { log, plan: runBlocks(log.events, blocks), compiled: randomLinear(policies, log, 2, shape.f64) };
  },
});

const eventCounts = [0, 1, 63, 64, 65, 255, 256, 257, 65_537].map((events) =>
  simple(`L = ${events}`, { events, arms: 5, dimension: 3 }, 3),
);
const armCounts = [1, 2, 32, 33, 1000].map((arms) => simple(`K = ${arms}`, { events: 3000, arms, dimension: 4 }, 3));
const dimensions = [0, 1, 4, 5, 6, 16, 17, 257].map((dimension) =>
  simple(`d = ${dimension}`, { events: 700, arms: 9, dimension }, 4),
);
const policyCounts = [1, 3, 8, 9, 4097].map((policies) =>
  simple(`P = ${policies}`, { events: 300, arms: 6, dimension: 3 }, policies, 2),
);

const hardNumbers: Case[] = [
  simple('f64 contexts and weights', { events: 2000, arms: 12, dimension: 7, f64: true }, 6),
  {
    name: 'exact ties: small integers everywhere',
    build: () => {
      const log = makeLog({ events: 3000, arms: 8, dimension: 3, feature: (draw) => Math.floor(draw() * 3) - 1 });
      const draw = generator(5);
      return {
        log,
        plan: runBlocks(log.events, 7),
        compiled: linearPolicies(20, 8, 3, () => Math.floor(draw() * 3) - 1),
      };
    },
  },
  {
    name: 'every arm the same, and all zeros',
    build: () => {
      const log = makeLog({ events: 500, arms: 33, dimension: 4 });
      return {
        log,
        plan: runBlocks(log.events, 3),
        compiled: linearPolicies(3, 33, 4, (p, _, j) => (p === 0 ? 0 : p * (j + 1))),
      };
    },
  },
  {
    name: 'zero contexts',
    build: () => {
      const log = makeLog({ events: 400, arms: 6, dimension: 3, feature: (draw, t) => (t % 3 === 0 ? 0 : draw()) });
      return { log, plan: runBlocks(log.events, 2), compiled: randomLinear(5, log) };
    },
  },
  {
    name: 'differences of one unit in the last place of f32',
    build: () => {
      const log = makeLog({ events: 2000, arms: 10, dimension: 5 });
      const draw = generator(6);
      const row = Array.from({ length: 5 }, () => Math.fround(draw() + 0.5));
      return {
        log,
        plan: runBlocks(log.events, 4),
        compiled: linearPolicies(6, 10, 5, (_, a, j) => Math.fround(row[j] * (1 + (j === 2 ? a % 3 : 0) * 2 ** -23))),
      };
    },
  },
  {
    name: 'differences of one unit in the last place of f64',
    build: () => {
      const log = makeLog({ events: 1500, arms: 10, dimension: 5, f64: true });
      const draw = generator(7);
      const row = Array.from({ length: 5 }, () => draw() + 0.5);
      return {
        log,
        plan: runBlocks(log.events, 4),
        compiled: linearPolicies(6, 10, 5, (_, a, j) => row[j] * (1 + (j === 1 ? a % 4 : 0) * 2 ** -52), true),
      };
    },
  },
  {
    name: 'subnormals of f32 and of f64',
    build: () => {
      const log = makeLog({
        events: 1200,
        arms: 7,
        dimension: 4,
        f64: true,
        feature: (draw, _, j) => (draw() - 0.5) * (j === 0 ? 1e-42 : 1e-20),
      });
      const draw = generator(8);
      return {
        log,
        plan: runBlocks(log.events, 3),
        compiled: linearPolicies(6, 7, 4, (p) => (draw() - 0.5) * (p % 2 === 0 ? 1e-25 : 1e-310), true),
      };
    },
  },
  {
    name: 'huge magnitudes, beyond f32 and close to the end of f64',
    build: () => {
      const log = makeLog({ events: 600, arms: 7, dimension: 4, f64: true, feature: (draw) => (draw() - 0.5) * 1e30 });
      const draw = generator(9);
      return {
        log,
        plan: runBlocks(log.events, 3),
        compiled: linearPolicies(6, 7, 4, (p) => (draw() - 0.5) * 10 ** [0, 10, 38, 100, 200, 277][p], true),
      };
    },
  },
  {
    name: 'scores that overflow f64',
    build: () => {
      const log = makeLog({ events: 300, arms: 5, dimension: 3, f64: true, feature: (draw) => (draw() - 0.5) * 1e160 });
      const draw = generator(10);
      return {
        log,
        plan: runBlocks(log.events, 2),
        compiled: linearPolicies(3, 5, 3, () => (draw() - 0.5) * 1e160, true),
      };
    },
  },
  {
    name: 'mixed magnitudes: one arm 10⁸ times the others',
    build: () => {
      const log = makeLog({ events: 2000, arms: 9, dimension: 6, feature: (draw, _, j) => draw() * 10 ** (j - 3) });
      const draw = generator(11);
      return {
        log,
        plan: runBlocks(log.events, 4),
        compiled: linearPolicies(8, 9, 6, (_, a) => (draw() - 0.5) * (a === 4 ? 1e8 : 1)),
      };
    },
  },
];

const pools: Case[] = [
  simple('pools of 5 out of 40 in runs', {
    events: 5000,
    arms: 40,
    dimension: 6,
    pools: { count: 12, size: 5, runs: 450 },
  }),
  simple('pools of 20 out of 60, mixed event by event', {
    events: 4000,
    arms: 60,
    dimension: 6,
    pools: { count: 300, size: 20 },
  }),
  simple('a pool of its own for almost every event', {
    events: 900,
    arms: 70,
    dimension: 3,
    pools: { count: 800, size: 33 },
  }),
  simple('pools and long contexts', {
    events: 1500,
    arms: 37,
    dimension: 19,
    pools: { count: 200, size: 11 },
  }),
  simple('pools of one arm', { events: 600, arms: 34, dimension: 3, pools: { count: 34, size: 1 } }),
  simple('pools of two arms, K = 1000', { events: 900, arms: 1000, dimension: 2, pools: { count: 90, size: 2 } }),
];

/** Shapes at which events are laid out otherwise: how many a lane has, what lanes and tiles share, blocks to a segment. */
const layouts: Case[] = [
  {
    name: 'lanes of sixteen events, exact ties',
    build: () => {
      const log = makeLog({ events: 20_000, arms: 33, dimension: 3, feature: (draw) => Math.floor(draw() * 3) - 1 });
      const draw = generator(21);
      return {
        log,
        plan: runBlocks(log.events, 4),
        compiled: linearPolicies(9, 33, 3, () => Math.floor(draw() * 3) - 1),
      };
    },
  },
  {
    name: 'no match: an arm that was never logged is always best',
    build: () => {
      const log = makeLog({ events: 700, arms: 3, dimension: 5, feature: (draw) => 1 + draw() });
      for (let t = 0; t < log.events; t++) log.arm[t] = 1 + (log.arm[t] & 1);
      return {
        log,
        plan: runBlocks(log.events, 3),
        compiled: linearPolicies(4, 3, 5, (p, a) => (a === 0 ? 8 : (p + a) / 8)),
      };
    },
  },
  {
    name: 'two arms of equal weights in every pair',
    build: () => {
      const log = makeLog({ events: 6000, arms: 8, dimension: 6 });
      const rows = Array.from({ length: 7 * 4 * 6 }, generator(22));
      return {
        log,
        plan: runBlocks(log.events, 3),
        compiled: linearPolicies(7, 8, 6, (p, a, j) => rows[(p * 4 + (a >> 1)) * 6 + j]! - 0.5),
      };
    },
  },
  simple('blocks of seven events', { events: 5000, arms: 3, dimension: 2 }, 5, 714),
  simple(
    'blocks of thirteen events, pools that change every event',
    { events: 2000, arms: 33, dimension: 3, pools: { count: 500, size: 7 } },
    5,
    150,
  ),
  simple('pools in long runs of a segment', {
    events: 12_000,
    arms: 30,
    dimension: 9,
    pools: { count: 2, size: 9, runs: 3000 },
  }),
  simple('long contexts, more policies than a group', { events: 900, arms: 7, dimension: 19 }, 37),
  simple('so many arms that weights have no room beside', { events: 2500, arms: 90, dimension: 8 }, 37),
  simple('context rows that two events share', {
    events: 1000,
    arms: 6,
    dimension: 2,
    feature: (_, t, j) => ((t % 600) * (j + 3)) % 607,
  }),
  simple('context rows that two or three events share', {
    events: 1000,
    arms: 6,
    dimension: 2,
    feature: (_, t, j) => ((t % 400) * (j + 3)) % 401,
  }),
  {
    name: 'tiles of several pools: first without the first arm, then with all',
    build: () => {
      const draw = generator(23);
      const pools = Array.from({ length: 60 }, (_, s) =>
        s < 30 ? sample(39, 12, draw).map((arm) => arm + 1) : sample(40, 12, draw),
      );
      const pool = Array.from({ length: 3000 }, (_, t) => (t < 1500 ? 0 : 30) + Math.floor(draw() * 30));
      const log = logFromColumns({
        armIndex: pool.map((s) => pools[s]![Math.floor(draw() * pools[s]!.length)]!),
        arms: 40,
        payoff: pool.map(() => Math.floor(draw() * 2)),
        context: { values: Float32Array.from({ length: 9000 }, () => draw() - 0.5), dimension: 3 },
        candidates: { pools, pool },
      });
      return { log, plan: runBlocks(log.events, 2), compiled: randomLinear(20, log) };
    },
  },
  {
    name: 'the last context alone is beyond f32',
    build: () => {
      const log = makeLog({
        events: 700,
        arms: 5,
        dimension: 3,
        feature: (draw, t) => (t === 699 ? 1e20 : draw() - 0.5),
      });
      return { log, plan: runBlocks(log.events, 3), compiled: randomLinear(9, log) };
    },
  },
  {
    name: 'uniform policies, one event',
    build: () => {
      const log = makeLog({ events: 1, arms: 3, dimension: 0 });
      return { log, plan: runBlocks(1, 1), compiled: uniformPolicies(20, 5) };
    },
  },
  {
    name: 'uniform policies, blocks of three events',
    build: () => {
      const log = makeLog({ events: 900, arms: 4, dimension: 0 });
      return { log, plan: runBlocks(900, 300), compiled: uniformPolicies(20, 5) };
    },
  },
];

const repeated = (_draw: () => number, t: number, j: number): number => (((t * 7) % 13) + j) % 5;
const cells: Case[] = [
  simple('13 distinct contexts', { events: 5000, arms: 6, dimension: 4, feature: repeated }, 30),
  simple(
    '13 distinct contexts × 9 pools',
    { events: 6000, arms: 20, dimension: 4, feature: repeated, pools: { count: 9, size: 6 } },
    30,
  ),
  simple(
    '13 distinct contexts, many exact ties',
    { events: 4000, arms: 20, dimension: 1, feature: (_, t) => t % 13 },
    10,
  ),
  simple(
    '13 distinct contexts, payoffs in cents',
    {
      events: 5000,
      arms: 6,
      dimension: 4,
      feature: repeated,
      payoff: (draw) => Math.round(draw() * 500) / 100,
      payoffRange: [0, 5],
    },
    10,
  ),
  simple(
    '13 distinct contexts, 64 blocks of few events',
    { events: 500, arms: 6, dimension: 4, feature: repeated },
    10,
    64,
  ),
  simple(
    '13 distinct contexts, too many candidates for folded tables',
    { events: 1000, arms: 5000, dimension: 4, feature: repeated },
    3,
    64,
  ),
];

const payoffs: Case[] = [
  simple('payoffs in half stars', {
    events: 3000,
    arms: 5,
    dimension: 3,
    payoff: (draw) => Math.floor(draw() * 11) / 2,
    payoffRange: [0, 5],
  }),
  simple('negative payoffs', {
    events: 3000,
    arms: 5,
    dimension: 3,
    payoff: (draw) => Math.floor(draw() * 7) - 3,
    payoffRange: [-3, 3],
  }),
  simple(
    'payoffs without a step: 32-bit steps',
    { events: 9000, arms: 3, dimension: 3, payoff: (draw) => draw(), payoffRange: [0, 1] },
    4,
    2,
  ),
  simple(
    'the largest 32-bit steps: squares carry into a third word',
    { events: 20_000, arms: 1, dimension: 2, payoff: (_, t) => (t % 7 === 0 ? Math.PI / 4 : 1), payoffRange: [0, 1] },
    2,
    1,
  ),
];

const otherFamilies: Case[] = [
  {
    name: 'uniform policies, pools of different sizes',
    build: () => {
      const log = makeLog({ events: 3001, arms: 33, dimension: 0, pools: { count: 40, size: 7 } });
      return { log, plan: runBlocks(log.events, 5), compiled: uniformPolicies(9, 0xdeadbeef) };
    },
  },
  {
    name: 'constant: one cell',
    build: () => {
      const log = makeLog({ events: 3001, arms: 33, dimension: 1 });
      const compiled = {
        ...matrixPolicies(33, log, { count: 1, of: null }),
        choices: Uint16Array.from({ length: 33 }, (_, a) => a),
      };
      return { log, plan: runBlocks(log.events, 5), compiled };
    },
  },
  {
    name: 'constant: so few events to a block that folding does not pay',
    build: () => {
      const log = makeLog({ events: 60, arms: 3, dimension: 1 });
      const compiled = { ...matrixPolicies(3, log, { count: 1, of: null }), choices: Uint16Array.from([0, 1, 2]) };
      return { log, plan: runBlocks(log.events), compiled };
    },
  },
  {
    name: 'table: 17 cells',
    build: () => {
      const log = makeLog({ events: 5000, arms: 8, dimension: 1 });
      return {
        log,
        plan: runBlocks(log.events, 9),
        compiled: matrixPolicies(50, log, {
          count: 17,
          of: Uint32Array.from({ length: 5000 }, (_, t) => (t * 5) % 17),
        }),
      };
    },
  },
  {
    name: 'choices: a cell per event, K = 70,000 (wider than 16 bits)',
    build: () => {
      const log = makeLog({ events: 90, arms: 70_000, dimension: 0 });
      const compiled = matrixPolicies(3, log, { count: 90, of: null });
      for (let t = 0; t < 90; t += 3) compiled.choices[t] = log.arm[t];
      return { log, plan: runBlocks(log.events, 3), compiled };
    },
  },
  {
    name: 'choices: a cell per event, odd number of events',
    build: () => {
      const log = makeLog({ events: 1003, arms: 4, dimension: 0 });
      return { log, plan: runBlocks(log.events, 10), compiled: matrixPolicies(7, log, { count: 1003, of: null }) };
    },
  },
];

const userHash = Uint32Array.from({ length: 97 }, (_, u) => Math.imul(u, 0x9e3779b1));

const blockPlans: Case[] = [
  {
    name: 'period blocks over shuffled time',
    build: () => {
      const log = makeLog({ events: 4000, arms: 5, dimension: 3 });
      const draw = generator(12);
      return {
        log,
        plan: periodBlocks(
          Float64Array.from({ length: 4000 }, () => draw() * 1e9),
          1e8,
        ),
        compiled: randomLinear(4, log),
      };
    },
  },
  {
    name: 'period blocks over shuffled time, repeated contexts and pools',
    build: () => {
      const log = makeLog({ events: 4000, arms: 9, dimension: 3, feature: repeated, pools: { count: 5, size: 4 } });
      const draw = generator(13);
      return {
        log,
        plan: periodBlocks(
          Float64Array.from({ length: 4000 }, () => draw() * 1e9),
          1e8,
        ),
        compiled: randomLinear(4, log),
      };
    },
  },
  {
    name: 'user blocks, uniform policies',
    build: () => {
      const log = makeLog({ events: 2500, arms: 5, dimension: 0 });
      return {
        log,
        plan: userBlocks(
          Uint32Array.from({ length: 2500 }, (_, t) => (t * 31) % 97),
          16,
          userHash,
        ),
        compiled: uniformPolicies(4, 7),
      };
    },
  },
  {
    name: 'user blocks, a cell per event',
    build: () => {
      const log = makeLog({ events: 2500, arms: 5, dimension: 0 });
      return {
        log,
        plan: userBlocks(
          Uint32Array.from({ length: 2500 }, (_, t) => (t * 31) % 97),
          16,
          userHash,
        ),
        compiled: matrixPolicies(4, log, { count: 2500, of: null }),
      };
    },
  },
];

export const CASES: readonly Case[] = [
  ...eventCounts,
  ...armCounts,
  ...dimensions,
  ...policyCounts,
  ...hardNumbers,
  ...pools,
  ...layouts,
  ...cells,
  ...payoffs,
  ...otherFamilies,
  ...blockPlans,
  ...JOINT_CASES,
];
