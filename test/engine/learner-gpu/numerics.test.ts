/** What learners say of their arithmetic after a replay on the GPU: as on the CPU. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { OpenDevice } from '#dist/gpu/device.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import { ADAPTER, kernelCases, openTestDevice } from '../../adapter.js';
import { mulberry } from '../../learner/linear/helpers.js';
import { eachCase } from '../../long.js';

const EVENTS = 600;

/** Contexts up to `size`, some five times as large; clicks follow the first. */
function logOf(size: number) {
  const random = mulberry(4);
  const context = Array.from({ length: EVENTS }, () => [
    size * (random() - 0.5) * (random() < 0.1 ? 5 : 1),
    size * (random() - 0.5),
    1,
  ]);
  return logFromColumns({
    context,
    armIndex: context.map(() => Math.floor(3 * random())),
    arms: 3,
    payoff: context.map(([x]) => Number(random() < 1 / (1 + Math.exp((-3 * x) / size)))),
    // Two arms alike.
    armFeatures: [
      [0.5, 1],
      [0.25, 0],
      [0.5, 1],
    ],
  });
}

const CASES: readonly (ReplayOptions & { algorithm: string; shared?: string })[] = [
  { algorithm: 'linucb' },
  { algorithm: 'lin-thompson', updateEvery: 40 },
  { algorithm: 'linucb', stretchEvents: 150, repeats: 2, subsample: 0.7 },
  { algorithm: 'linucb', learnFrom: 'all' },
  { algorithm: 'linucb', learnFrom: 'all', repeats: 3, subsample: 0.7, stretchEvents: 150 },
  { algorithm: 'lin-thompson', learnFrom: 'all', repeats: 3, validEvents: 40, stretchEvents: 100 },
  { algorithm: 'linucb', learnFrom: 'all', updateEvery: 40, subsample: 0.5, validEvents: 30 },
  { algorithm: 'linucb-hybrid' },
  { algorithm: 'linucb-hybrid', shared: 'features', updateEvery: 40 },
];

describe(`on ${ADAPTER}`, () => {
  let opened: OpenDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.device.destroy());

  async function both(size: number, learner: object, change: ReplayOptions) {
    const log = logOf(size);
    const options = { ...change, assumeUniform: true };
    const cpu = await replay(log, [learner as never], { ...options, device: 'cpu', threads: 1 });
    const gpu = await replay(log, [learner as never], { ...options, device: 'gpu', gpuDevice: opened.device });
    expect(gpu.engine.onCpu).toBeUndefined();
    expect(gpu.learners[0].matches).toBe(cpu.learners[0].matches);
    return { cpu, gpu };
  }

  eachCase(
    kernelCases(CASES).map((one, i) => ({
      ...one,
      name: `condition and residual: ${JSON.stringify(one)}`,
      long: i > 2,
    })),
    async ({ name: _, long: __, algorithm, shared, ...options }) => {
      const { cpu, gpu } = await both(1, { algorithm, ...(shared && { shared }) }, options);
      const [needed, got] = [cpu, gpu].map(({ learners }) => learners[0].numerics ?? {});
      // Pairs have 44 bits, and what they lose grows with the condition number's root, some 30.
      expect(Math.abs(Number(got.condition) / Number(needed.condition) - 1)).toBeLessThan(1e-9);
      // One event more or fewer than was learnt from would make it some hundredths.
      expect(got.residual).toBeLessThan(1e-9);
      expect(got.residual).not.toBe(0);
    },
    120_000,
  );

  const overshoots: readonly ReplayOptions[] = [
    {},
    { updateEvery: 40 },
    { stretchEvents: 150, repeats: 2, subsample: 0.7 },
  ];
  eachCase(
    kernelCases(overshoots).map((options, i) => ({
      name: `cemp's overshoots: ${JSON.stringify(options)}`,
      long: i > 0,
      options,
    })),
    async ({ options }) => {
      const { cpu, gpu } = await both(20, { algorithm: 'cemp', lambda: 1e-3 }, options);
      expect(cpu.learners[0].numerics?.overshot).toBeGreaterThan(3);
      expect(gpu.learners[0].numerics).toEqual(cpu.learners[0].numerics);
      const told = ({ warnings }: typeof cpu) => warnings.filter((text) => text.includes('overshot'));
      expect(told(gpu)).toHaveLength(1);
      expect(told(gpu)).toEqual(told(cpu));
    },
    120_000,
  );
});
