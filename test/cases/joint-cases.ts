/** Joint-linear policies: the part of the case table about features of candidates and their versions. */
import { periodBlocks } from '#dist/estimate/blocks/block-makers.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { JOINT_FEATURES, type JointFeatures } from '#dist/log/joint-features.js';
import type { JointPolicies } from '#dist/policy/joint/cpu.js';
import { jointDimension } from '#dist/policy/joint/features.js';
import type { Case } from './cases.js';
import { generator, sample } from './draws.js';

export interface JointLogShape {
  events: number;
  arms: number;
  dx: number;
  dz: number;
  seed?: number;
  /** Feature j of event t's context. Default: uniform in (−1, 1), as f32. */
  x?: (draw: () => number, t: number, j: number) => number;
  /** Feature j of an arm in one of its versions. Default: uniform in (−1, 1). */
  z?: (draw: () => number, arm: number, j: number) => number;
  /** Candidate sets: how many, how large, and for how many events each lasts (default: drawn event by event). */
  pools?: { count: number; size: number; runs?: number };
  /** Every pool shows its arms in one of so many versions each. Default: arms have one row. */
  versions?: number;
}

export function makeJointLog({
  events,
  arms,
  dx,
  dz,
  seed = 1,
  x = (draw) => Math.fround(draw() * 2 - 1),
  z = (draw) => draw() * 2 - 1,
  pools = { count: 1, size: arms },
  versions = 0,
}: JointLogShape): EventLog {
  const draw = generator(seed);
  const index = (n: number): number => Math.floor(draw() * n);
  const rowOf = (arm: number): number[] => Array.from({ length: dz }, (_, j) => z(draw, arm, j));
  const known = Array.from({ length: arms }, (_, a) => Array.from({ length: Math.max(1, versions) }, () => rowOf(a)));
  const sets = Array.from({ length: pools.count }, () => sample(arms, pools.size, draw));
  const shown = sets.map((set) => set.map((arm) => known[arm][index(Math.max(1, versions))]));
  const pool = Array.from({ length: events }, (_, t) =>
    pools.runs === undefined ? index(pools.count) : Math.floor(t / pools.runs) % pools.count,
  );
  const values = Float64Array.from({ length: events * dx }, (_, i) => x(draw, Math.floor(i / dx), i % dx));
  return logFromColumns({
    armIndex: pool.map((s) => sets[s][index(sets[s].length)]),
    arms,
    payoff: pool.map(() => Math.floor(draw() * 1.3)),
    payoffRange: [0, 1],
    context: dx === 0 ? undefined : { values, dimension: dx },
    candidates: { pools: sets, pool },
    ...(versions === 0 ? { armFeatures: known.map(([row]) => row) } : { candidateFeatures: shown }),
  });
}

/** Weight k of policy p. Default: uniform in (−1, 1). */
type JointWeight = (p: number, k: number, draw: () => number) => number;

export function jointPolicies(
  policies: number,
  log: EventLog,
  features: JointFeatures,
  weight?: JointWeight,
  seed = 2,
): JointPolicies {
  const draw = generator(seed);
  const dimension = jointDimension(features, log.contexts.dimension, log.armFeatures?.dimension ?? 0);
  const of: JointWeight = weight ?? (() => draw() * 2 - 1);
  return {
    kind: 'scored',
    family: 'joint-linear',
    policies,
    names: Array.from({ length: policies }, (_, p) => `joint ${p}`),
    features,
    weights: Float64Array.from({ length: policies * dimension }, (_, i) =>
      of(Math.floor(i / dimension), i % dimension, draw),
    ),
    dimension,
  };
}

const joint = (
  name: string,
  shape: JointLogShape,
  features: JointFeatures,
  { policies = 5, blocks = 4, weight }: { policies?: number; blocks?: number; weight?: JointWeight } = {},
): Case => ({
  name: `joint-linear (${features}): ${name}`,
  build: () => {
    const log = makeJointLog(shape);
    return { log, plan: runBlocks(log.events, blocks), compiled: jointPolicies(policies, log, features, weight) };
  },
});

const small = { events: 1500, arms: 7, dx: 4, dz: 3 };
const changing = { ...small, arms: 12, pools: { count: 20, size: 5, runs: 75 }, versions: 3 };

const everyFeatures = JOINT_FEATURES.flatMap((features) => [
  joint('a row per arm', small, features),
  joint('versions that change inside blocks', changing, features),
  joint('versions drawn event by event', { ...changing, pools: { count: 60, size: 5 } }, features),
]);

const sizes = [
  joint('K = 1', { ...small, arms: 1 }, 'both'),
  joint('K = 33', { ...small, arms: 33 }, 'product', { policies: 9 }),
  joint('K = 33 in versions', { ...changing, arms: 33, pools: { count: 9, size: 33, runs: 60 } }, 'both'),
  joint('no context', { ...small, dx: 0, arms: 33 }, 'arm', { policies: 30 }),
  joint('no context, versions', { ...changing, dx: 0 }, 'arm', { policies: 30 }),
  joint('no context, so that φ is z', { ...changing, dx: 0 }, 'both'),
  joint('no context, so that φ is z', { ...small, dx: 0 }, 'concat'),
  joint('one event', { ...small, events: 1 }, 'both'),
  joint('no event', { ...small, events: 0 }, 'both'),
  ...[255, 256, 257, 513].map((events) => joint(`L = ${events}`, { ...small, events }, 'both', { policies: 3 })),
  joint('long contexts, long features', { ...changing, events: 500, dx: 20, dz: 17 }, 'both'),
  joint('d = 257', { ...small, events: 300, dx: 257 }, 'product'),
  joint('P = 1025, chunk and tile borders', { ...changing, events: 700 }, 'both', { policies: 1025, blocks: 3 }),
  joint(
    'a feature row per event and candidate: more than is screened',
    { ...small, events: 400, arms: 9, pools: { count: 400, size: 6, runs: 1 }, versions: 400 },
    'both',
  ),
];

const few = (draw: () => number): number => Math.floor(draw() * 3) - 1;
const repeated = (_: () => number, t: number, j: number): number => (((t * 7) % 13) + j) % 5;
const cells = [
  joint('13 distinct contexts', { ...small, x: repeated }, 'both', { policies: 30 }),
  joint(
    '13 distinct contexts × 9 pools in versions',
    { ...changing, x: repeated, pools: { count: 9, size: 5 } },
    'both',
  ),
  joint('13 distinct contexts, 64 blocks', { ...small, events: 500, x: repeated }, 'concat', { blocks: 64 }),
  joint('candidates beyond one load of items', { ...small, events: 60, arms: 3000, dx: 9, dz: 9, x: repeated }, 'both'),
  {
    name: 'joint-linear (both): period blocks over shuffled time, versions',
    build: () => {
      const log = makeJointLog(changing);
      const draw = generator(21);
      const time = Float64Array.from({ length: log.events }, () => draw() * 1e9);
      return { log, plan: periodBlocks(time, 1e8), compiled: jointPolicies(4, log, 'both') };
    },
  } satisfies Case,
];

const wide =
  (exponent: number) =>
  (draw: () => number): number =>
    (draw() - 0.5) * 10 ** exponent;
const wideWeight =
  (exponent: (p: number) => number): JointWeight =>
  (p, _, draw) =>
    (draw() - 0.5) * 10 ** exponent(p);
const ulp = (arm: number): number => 1 + (arm % 4) * 2 ** -52;
const hardNumbers = [
  joint('exact ties: small integers everywhere', { ...changing, x: few, z: few }, 'both', {
    policies: 20,
    weight: (_p, _k, draw) => few(draw),
  }),
  joint('arms with equal features', { ...small, arms: 9, z: (_, arm, j) => Math.sin((arm % 3) + j) }, 'both'),
  joint('all features zero', { ...small, z: () => 0 }, 'both'),
  joint('weights zero but on the context', { ...small }, 'both', { weight: (_, k) => (k < 4 ? k + 0.3 : 0) }),
  joint('all weights zero', { ...small }, 'product', { weight: (p) => (p === 0 ? 0 : 1) }),
  joint(
    'differences of one unit in the last place of f64',
    { ...small, z: (_, arm, j) => (j + 0.7) * ulp(arm) },
    'both',
  ),
  joint('the context part swallows differences of candidates', { ...small }, 'concat', {
    weight: (p, k) => (k < 4 ? 10 ** (p + 13) * (k + 0.1) : Math.cos(p + k)),
  }),
  joint('tiny differences beside a context part', { ...small, z: (draw) => 1 + draw() * 1e-13 }, 'both'),
  joint(
    'scores that cancel',
    { ...small, dz: 2, z: (draw, _, j) => (j === 0 ? 1 : -1) * (1 + draw() * 1e-9) },
    'both',
    {
      weight: (p, k) => 1 + p * 1e-9 + k * 1e-12,
    },
  ),
  joint('weights beyond f32 and close to the end of f64', { ...small, events: 400 }, 'both', {
    policies: 6,
    weight: wideWeight((p) => [0, 10, 38, 100, 200, 300][p]),
  }),
  joint('products that overflow f64', { ...small, events: 300, x: wide(160), z: wide(100) }, 'both', {
    weight: wideWeight(() => 100),
  }),
  joint('infinity times zero', { ...small, events: 300, x: wide(200), z: wide(200) }, 'product', {
    weight: (_, k) => k % 3,
  }),
  joint('huge contexts at some events', { ...small, x: (draw, t) => (t % 50 === 0 ? 1e25 : draw()) }, 'both'),
  joint('subnormals of f32 and of f64', { ...small, x: wide(-20), z: wide(-24) }, 'both', {
    policies: 6,
    weight: wideWeight((p) => (p % 2 === 0 ? -5 : -290)),
  }),
  joint('products that underflow f64', { ...small, x: wide(-200), z: wide(-200) }, 'product', {
    weight: wideWeight(() => 100),
  }),
  joint('mixed magnitudes', { ...changing, x: (draw, _, j) => draw() * 10 ** (3 * j - 3) }, 'both', {
    policies: 8,
    weight: (_, k, draw) => (draw() - 0.5) * 10 ** (k % 7),
  }),
];

export const JOINT_CASES: readonly Case[] = [...everyFeatures, ...sizes, ...cells, ...hardNumbers];
