/** Numbers that a kernel cannot compute with: the CPU engine replays the learner, and the result says so. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GPU_LEARNERS } from '#dist/engine/learner-gpu/learner-kernels.js';
import { beyondKernel } from '#dist/engine/learner-gpu/range.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { type LearnerInput, type ReplayOptions, replay } from '#dist/index.js';
import { parseLearnerSet } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { ADAPTER, kernelCases, openTestDevice } from '../../adapter.js';
import { GPU_SETTINGS } from '../../cases/replay-cases.js';
import { mulberry } from '../../learner/linear/helpers.js';
import { eachCase } from '../../long.js';

const EVENTS = 1200;

interface Shape {
  /** Sizes of context columns. */
  readonly x?: readonly number[];
  /** A payoff of a number in [0, 1); default: 1 below a rate of the arm. */
  readonly payoff?: (u: number, arm: number) => number;
  /** What arm features are multiplied by. */
  readonly features?: number;
}

function logOf({
  x = [1, 1, 1],
  payoff = (u, arm) => Number(u < 0.2 + 0.1 * arm),
  features = 1,
}: Shape = {}): EventLog {
  const random = mulberry(11);
  const context = Array.from({ length: EVENTS }, () => x.map((size) => size * (2 * random() - 1)));
  const armIndex = context.map(() => Math.floor(4 * random()));
  return logFromColumns({
    ...{ context, armIndex, arms: 4 },
    payoff: armIndex.map((arm) => payoff(random(), arm)),
    keys: { segment: armIndex.map((_, t) => t % 3) },
    armFeatures: [
      [0.5, 1],
      [0.25, 0],
      [0.5, 1],
      [1, -1],
    ].map((row) => row.map((f) => features * f)),
  });
}

/** Of a log: learners, those with a number that is out of range marked with what it is. */
interface Case {
  readonly name: string;
  readonly long?: boolean;
  readonly shape?: Shape;
  readonly settings: readonly (readonly [learner: LearnerInput, beyond: string | null])[];
}

const each = (algorithm: string, key: string, values: readonly number[], beyond: string | null) =>
  values.map((value) => [{ algorithm, [key]: value } as unknown as LearnerInput, beyond] as const);

/** Of regressions that pairs of f32 have not the digits for, which is said by itself (`conditioning.ts`). */
const DIGITS = 'digits';

/** Widths of confidence bounds. */
const widths = (algorithm: string, key: string, most: number) => [
  ...each(algorithm, key, [most * 2, 1e39, 1e100], key),
  ...each(algorithm, key, [0, 1e-300, 1e-46, 1e-20, 1e6, most], null),
];
/** Tolerances that rounding on the GPU might tell apart, and those that it cannot. */
const tolerances = (algorithm: string) => [
  ...each(algorithm, 'tieTolerance', [0, 1e-46, 1e-13], 'tieTolerance'),
  ...each(algorithm, 'tieTolerance', [1e-6, 1e-5], null),
  // Draws are no fractions of counts.
  ...each(algorithm, 'tieTolerance', [0.5, 0.1], algorithm === 'thompson' ? null : 'tieTolerance'),
];
const ridges = (algorithm: string) => [
  ...each(algorithm, 'lambda', [1e-300, 1e-46], DIGITS),
  ...each(algorithm, 'lambda', [1e39, 1e300], 'lambda'),
  ...each(algorithm, 'lambda', [1, 1e10], null),
];
const LINEAR = [
  ...widths('linucb', 'alpha', 2 ** 30),
  ...widths('lin-thompson', 'v', 2 ** 30),
  ...['linucb', 'lin-thompson', 'cemp'].flatMap((algorithm) => [...tolerances(algorithm), ...ridges(algorithm)]),
  ...each('cemp', 'prior', [5e-324, 1e-46, 1e-10, 1 - 2 ** -53], null),
];
const HYBRID = [
  ...widths('linucb-hybrid', 'alpha', 2 ** 30),
  ...tolerances('linucb-hybrid'),
  ...ridges('linucb-hybrid'),
];

const CASES: readonly Case[] = [
  {
    name: 'means',
    settings: [
      ...widths('ucb', 'alpha', 2 ** 60),
      ...widths('ucb1', 'alpha', 2 ** 60),
      ...tolerances('ucb'),
      ...tolerances('ucb1'),
      ...each('epsilon-greedy', 'epsilon', [0, 5e-324, 1 / 3, 1], null),
      ...each('epsilon-greedy', 'c', [1e-300, 1e-9, 1e6], null),
    ],
  },
  {
    name: 'priors',
    settings: [
      ...[5e-324, 1e-46, 1e-31, 1e-10].flatMap((a) => each('thompson', 'a', [a], 'a')),
      ...each('thompson', 'b', [1e-300, 1e-46, 1e-30], 'b'),
      ...[1e-46, 1e-40].flatMap((a) => [[{ algorithm: 'thompson', a, b: 1e-31 }, 'a'] as const]),
      ...each('thompson', 'a', [1e-9, 1e-3, 1, 1e9], null),
      ...tolerances('thompson'),
      [{ algorithm: 'emp', priorTrials: 1e9, priorPayoff: 4e8 + 1 }, null],
      [{ algorithm: 'semp', segment: 'segment', priorTrials: 7, priorPayoff: 3 }, null],
    ],
  },
  { name: 'regressions', settings: LINEAR },
  { name: 'hybrid regressions', settings: HYBRID },
  ...[1e-46, 1e-20, 1e-9].map(
    (size): Case => ({
      name: `contexts of ${size}`,
      shape: { x: [size, size, size] },
      settings: ['linucb', 'lin-thompson', 'cemp'].flatMap((algorithm) => each(algorithm, 'lambda', [1, 1e-10], null)),
    }),
  ),
  {
    // A single column has no other to lose digits to.
    name: 'one column of contexts, up to 10⁹',
    long: true,
    shape: { x: [1e9] },
    settings: [
      ...['linucb', 'lin-thompson', 'cemp'].flatMap((algorithm) => each(algorithm, 'lambda', [1e-9, 1e-4], 'contexts')),
      ...['linucb', 'lin-thompson'].flatMap((algorithm) => each(algorithm, 'lambda', [1, 1e9], null)),
      // Click rates of 1 less 10⁻¹⁶, which contexts as large make much of.
      ...each('cemp', 'prior', [1 - 2 ** -53, 0.5], 'contexts'),
      ...each('cemp', 'lambda', [1e12], null),
    ],
  },
  {
    name: 'payoffs of 10³⁰',
    shape: { payoff: (u, arm) => (u < 0.2 + 0.1 * arm ? 1e30 : 0) },
    settings: [
      [{ algorithm: 'ucb', alpha: 1e30 }, 'alpha'],
      [{ algorithm: 'ucb' }, 'payoffs'],
      [{ algorithm: 'ucb1' }, 'payoffs'],
      [{ algorithm: 'epsilon-greedy', epsilon: 0.2 }, null],
      [{ algorithm: 'emp' }, null],
    ],
  },
  {
    name: 'payoffs of both signs about 10⁹',
    shape: { payoff: (u) => 2e9 * (u - 0.5) },
    settings: [
      [{ algorithm: 'ucb', alpha: 1e9 }, 'payoffs'],
      [{ algorithm: 'ucb1', alpha: 1e9 }, 'payoffs'],
      [{ algorithm: 'emp', priorTrials: 10, priorPayoff: 0.123 }, null],
      [{ algorithm: 'epsilon-greedy', epsilon: 0.2 }, null],
    ],
  },
  ...[1e-46, 1e-20, 1e9].map(
    (size): Case => ({
      name: `real payoffs up to ${size}`,
      shape: { payoff: (u) => size * u },
      settings: [
        ...each('ucb', 'alpha', [1, size], null),
        ...each('ucb1', 'alpha', [1, size], null),
        [{ algorithm: 'emp', priorTrials: 3, priorPayoff: size * 1.234567 }, null],
      ],
    }),
  ),
];

describe(`on ${ADAPTER} the events of the CPU, and what is beyond the GPU is said:`, () => {
  let opened: OpenDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.device.destroy());

  const run = (log: EventLog, learners: readonly LearnerInput[], options: ReplayOptions) =>
    replay(log, learners, { assumeUniform: true, replicas: true, threads: 1, verify: false, ...options });

  eachCase(
    kernelCases(CASES),
    async ({ shape, settings }) => {
      const log = logOf(shape);
      // On a GPU nothing may be left to the CPU alone.
      const learners = [{ algorithm: 'random' } as const];
      const here: (readonly [index: number, beyond: string | null])[] = [];
      const all: LearnerInput[] = [...learners];
      for (const [learner, beyond] of settings) {
        const cpu = await run(log, [learner], { device: 'cpu' }).then(
          () => null,
          (error: Error) => error.message,
        );
        if (cpu === null) {
          here.push([all.length, beyond]);
          all.push(learner);
          continue;
        }
        // What is refused on the CPU is refused beside a GPU, in the same words.
        const gpu = run(log, [learner, ...learners], { device: 'gpu', gpuDevice: opened.device });
        await expect(gpu).rejects.toThrow(cpu);
      }
      const cpu = await run(log, all, { device: 'cpu' });
      const gpu = await run(log, all, { device: 'gpu', gpuDevice: opened.device });
      const retained = ({ learners }: typeof cpu, i: number) => learners[i].replicas?.[0].retained;
      for (const [i] of here)
        expect([gpu.learners[i].name, retained(gpu, i)]).toEqual([gpu.learners[i].name, retained(cpu, i)]);
      const beyond = here.flatMap(([i, one]) => (one === null ? [] : [gpu.learners[i].name]));
      expect(gpu.engine.onCpu ?? []).toEqual(beyond);
      const said = (part: string) => gpu.warnings.filter((text) => text.includes(part));
      const sizes = said('of a size that the GPU cannot compute with');
      for (const [i, one] of here) {
        const told = one === DIGITS ? said('need more digits') : sizes;
        if (one !== null) expect(told).toEqual([expect.stringContaining(gpu.learners[i].name)]);
        if (one !== null && one !== DIGITS) expect(told[0]).toContain(one);
      }
      expect(sizes.length).toBe(Number(here.some(([, one]) => one !== null && one !== DIGITS)));
    },
    300_000,
  );
});

it('ordinary settings of every learner stay on the GPU', () => {
  const log = logOf();
  const names = parseLearnerSet(GPU_SETTINGS).map(({ algorithm, parameters }) => {
    expect([algorithm.name, beyondKernel(algorithm.name, parameters, log)]).toEqual([algorithm.name, null]);
    return algorithm.name;
  });
  expect(new Set(names)).toEqual(new Set(GPU_LEARNERS));
});

it('arm features of any size are looked at, where they are used', () => {
  const log = logOf({ features: 1e12 });
  const [hybrid, disjoint] = parseLearnerSet([{ algorithm: 'linucb-hybrid' }, { algorithm: 'linucb' }]);
  expect(beyondKernel('linucb-hybrid', hybrid.parameters, log)).not.toBeNull();
  expect(beyondKernel('linucb', disjoint.parameters, log)).toBeNull();
});
