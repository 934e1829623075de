/** `--scale`: what becomes of columns, against numbers known without computing them. */
import { expect, it } from 'vitest';
import { logFromColumns, replay, sortByTime } from '#dist/index.js';
import type { EventLog } from '#dist/log/event-log.js';

const N = 1001;
const times = Array.from({ length: N }, (_, t) => t);

/** Columns by name → their scales; names of columns are c0, c1, … otherwise. */
async function scales(columns: Readonly<Record<string, (t: number) => number>>, scale: 'standard' | 'max') {
  const { scale: found } = await replay(logOf(columns), [{ algorithm: 'ucb1' }], {
    scale,
    device: 'cpu',
    assumeUniform: true,
  });
  return found?.contexts;
}

function logOf(columns: Readonly<Record<string, (t: number) => number>>, events = N): EventLog {
  const list = times.slice(0, events);
  return logFromColumns({
    armIndex: list.map((t) => (t * 5 + (t >> 2)) % 3),
    arms: 3,
    payoff: list.map((t) => (t % 7 < 3 ? 1 : 0)),
    context: {
      values: Float64Array.from(list.flatMap((t) => Object.values(columns).map((column) => column(t)))),
      dimension: Object.keys(columns).length,
      columns: Object.keys(columns),
    },
    time: list.map((t) => Date.UTC(2020, 0) + ((t * 7919) % N)),
  });
}

it('standard: mean and standard deviation to the last bit, far from 0 too', async () => {
  // Whole numbers 0..N−1 in another order, times s plus b: mean b + s(N − 1)/2, variance s²(N² − 1)/12, and N² − 1 = 12 · 83500.
  const shuffled = (t: number) => (t * 619) % N;
  const deviation = Math.sqrt((N * N - 1) / 12);
  expect(
    await scales(
      {
        plain: shuffled,
        seconds: (t) => 1.58e9 + shuffled(t),
        micro: (t) => 1.58e15 + 2 * shuffled(t),
        fine: (t) => 1024 + shuffled(t) / 2 ** 30,
      },
      'standard',
    ),
  ).toEqual([
    { column: 'plain', offset: 500, divisor: deviation },
    { column: 'seconds', offset: 1.58e9 + 500, divisor: deviation },
    { column: 'micro', offset: 1.58e15 + 1000, divisor: 2 * deviation },
    { column: 'fine', offset: 1024 + 500 / 2 ** 30, divisor: deviation / 2 ** 30 },
  ]);
});

it('standard: a first value far from all others costs nothing', async () => {
  // One 10⁹ beside N − 1 zeros: mean 10⁹/N, variance (10⁹/N)² (N − 1).
  const [{ offset, divisor }] = (await scales({ x: (t) => (t === 0 ? 1e9 : 0) }, 'standard')) ?? [];
  expect(offset).toBe(1e9 / N);
  expect(divisor / ((1e9 / N) * Math.sqrt(N - 1)) - 1).toBeLessThan(2 ** -52);
});

const ODD = {
  indicator: (t: number) => t % 2,
  one: () => 1,
  zero: () => 0,
  minus: () => -4,
  rounded: (t: number) => (t % 2 === 0 ? 0.3 : 0.1 + 0.2),
  signed: (t: number) => (t % 2 === 0 ? -8 : 2),
};

it('columns of one value become 1 or −1, and those of 0 and 1 stay', async () => {
  const alike = [
    { column: 'indicator', offset: 0, divisor: 1 },
    { column: 'one', offset: 0, divisor: 1 },
    { column: 'zero', offset: 0, divisor: 1 },
    { column: 'minus', offset: 0, divisor: 4 },
    { column: 'rounded', offset: 0, divisor: 0.1 + 0.2 },
  ];
  expect(await scales(ODD, 'max')).toEqual([...alike, { column: 'signed', offset: 0, divisor: 8 }]);
  const standard = await scales(ODD, 'standard');
  expect(standard?.slice(0, -1)).toEqual(alike);
  expect(standard?.at(-1)?.offset).toBe((-8 * 501 + 2 * 500) / N);
});

it('learners see what the scales say, in f64, and the result is that of a log scaled by hand', async () => {
  const columns = { ...ODD, seconds: (t: number) => 1.58e9 + 3600 * t, cents: (t: number) => (t * 619) % N };
  const learners = (['linucb', 'lin-thompson', 'glm-ucb', 'linrel', 'cemp'] as const).map((algorithm) => ({
    algorithm,
  }));
  const options = { device: 'cpu', replicas: true, state: true, assumeUniform: true, verify: true } as const;
  for (const scale of ['standard', 'max'] as const) {
    const found = await replay(logOf(columns), learners, { ...options, scale });
    const by = found.scale?.contexts ?? [];
    const hand = Object.fromEntries(
      Object.entries(columns).map(([name, column], j) => [
        name,
        (t: number) => (column(t) - by[j].offset) / by[j].divisor,
      ]),
    );
    const { learners: right, scale: none, engine } = await replay(logOf(hand), learners, options);
    expect(found.learners).toEqual(right);
    expect([none, engine.verified?.passed, found.engine.verified?.passed]).toEqual([undefined, true, true]);
  }
});

it('does not depend on the order of events beyond the last bits, nor on events that a replica does not see', async () => {
  const log = logOf({ seconds: (t) => 1.58e9 + t ** 1.5, price: (t) => 3 ** (t % 17) });
  const scaleOf = async (one: EventLog, more = {}) =>
    (await replay(one, [{ algorithm: 'ucb1' }], { scale: 'standard', device: 'cpu', assumeUniform: true, ...more }))
      .scale;
  const scale = await scaleOf(log);
  expect(await scaleOf(sortByTime(log))).toEqual(scale);
  expect(await scaleOf(log, { subsample: 0.1, validEvents: 5 })).toEqual(scale);
});

it('arm features count once per row, versions too', async () => {
  const list = times.slice(0, 60);
  const log = logFromColumns({
    arm: list.map((t) => 'ab'[(t * 7 + (t >> 3)) % 2]),
    payoff: list.map((t) => t % 2),
    context: list.map(() => [1]),
    candidates: list.map(() => ['a', 'b']),
    // a has one row, b has three: 0, 30, 60.
    candidateFeatures: list.map((t) => [[10], [30 * (t % 3)]]),
  });
  const options = { device: 'cpu', assumeUniform: true, verify: true } as const;
  const standard = await replay(log, [{ algorithm: 'linucb-hybrid' }], { ...options, scale: 'standard' });
  expect(standard.scale?.armFeatures).toEqual([
    { column: expect.any(String), offset: 25, divisor: Math.sqrt((15 ** 2 + 25 ** 2 + 5 ** 2 + 35 ** 2) / 4) },
  ]);
  expect(standard.engine.verified?.passed).toBe(true);
  const { scale } = await replay(log, [{ algorithm: 'linucb-hybrid' }], { ...options, scale: 'max' });
  expect(scale?.armFeatures).toEqual([{ column: expect.any(String), offset: 0, divisor: 60 }]);
});

it('takes an empty log, and refuses what it cannot scale', async () => {
  const run = (log: EventLog, learners: object[], scale = 'standard') =>
    replay(log, learners as never, { scale, device: 'cpu', assumeUniform: true } as never);
  const empty = await run(logOf({ x: () => 3 }, 0), [{ algorithm: 'linucb' }]);
  expect(empty.scale?.contexts).toEqual([{ column: 'x', offset: 0, divisor: 1 }]);
  const bare = logFromColumns({ arm: ['a', 'b', 'a', 'b'], payoff: [1, 0, 1, 0] });
  await expect(run(bare, [{ algorithm: 'ucb1' }])).rejects.toThrow(/--scale.*the log has none/);
  const huge = logOf({ big: (t) => (t % 2 === 0 ? 1e200 : -1e200) });
  await expect(run(huge, [{ algorithm: 'linucb' }])).rejects.toThrow(/column "big".*too large[\s\S]*--scale max/);
  expect((await run(huge, [{ algorithm: 'linucb' }], 'max')).scale?.contexts[0].divisor).toBe(1e200);
  const weights = [[1], [2], [3]];
  const experts = [{ family: 'linear', weights }];
  const log = logOf({ x: (t) => t });
  await expect(run(log, [{ algorithm: 'exp4', experts }])).rejects.toThrow(/experts that weigh contexts[\s\S]*exp4/);
  await expect(run(log, [{ algorithm: 'exp4', experts: [{ family: 'uniform' }] }])).resolves.toBeDefined();
  await expect(run(log, [{ algorithm: 'ucb1' }], 'standart')).rejects.toThrow(/did you mean "standard"/);
});
