/** Linear learners on logs of condition numbers from 1 to 10¹⁶: the events they retain in 80-digit arithmetic, on CPU and GPU. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDevice } from '#dist/gpu/device.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import { ADAPTER, kernelCases, openTestDevice } from '../adapter.js';
import { illConditioned } from '../large/ill-conditioned.mjs';
import { eachCase } from '../long.js';

/**
 * What makes a log (test/large/ill-conditioned.mjs), the condition number of its worst matrix at the end, and the retained
 * events as bits, in base 36; from test/large/linear_reference.py.
 */
type Exact = readonly [
  seed: number,
  kind: string,
  algorithm: 'linucb' | 'linucb-hybrid' | 'lin-thompson',
  exponent: number,
  condition: number,
  retained: string,
];

const EXACT: readonly Exact[] = [
  [1, 'unlike', 'linucb', -1, 6.7, 'edem7myoi5sllnb3bb35hrpu20lir3fv24orhy4muwqow'],
  [19, 'nearly', 'linucb-hybrid', -5, 4.8e1, '3wzszas603qajzg3xst95ao5s083ao3m9xjbrj4h8mc27z'],
  [54, 'unix', 'lin-thompson', -28, 4.1e2, '2w940jp9908lwx40tgowohta36dd95upy00azlfdu2j9ylc'],
  [4, 'onehot', 'linucb', 1, 7.0e3, 'afrnk7dmeywyuijlcv55g35xo187k0e5juwzb535r15pa8'],
  [22, 'plain', 'linucb-hybrid', 1, 4.7e4, 'dmbom0ydgiiztkm5zblw0yf4sfpq0rdaupgve5e7c06e3g'],
  [6, 'shares', 'lin-thompson', 6, 5.5e5, '2jc9mr4y4c6rq7rcv5hver79yis1cbpvlf92i88iy4d8vdk'],
  [24, 'yyyymmdd', 'linucb', -20, 4.5e6, 'bf74mu6uvzktbk7zsfryhcjspr7gjm547e1rqknamlkc14'],
  [25, 'cents', 'linucb-hybrid', -10, 6.6e7, 'nnqgtwi8oaoejzu3dyfq4e720no0rdqpfdn4oiupeaqene'],
  [60, 'twice', 'lin-thompson', 8, 4.0e8, '4bwdvpbptl0d29hf5wb27v4bqqyw00128l4ho64mxkz9nkc'],
  [10, 'unlike', 'linucb', 11, 4.7e9, '1ba8bqstd2yajkbufqdn88094x9vj2hx5qd4vkq3y88i8hs'],
  [11, 'offset', 'linucb-hybrid', 1, 8.8e10, '2qb84m9cd5b29p87wxlfqsudckqtktrm0df9jssm96oeo3c'],
  [12, 'unix', 'lin-thompson', -13, 4.7e11, '47hd9hwq16vszlb38w3p2r5h6idxcsckfphxaym9vxmjrdi'],
  [47, 'onehot', 'linucb', 19, 1.6e12, '1gftp56oodgxsdtz2mn23hoh4ca5ppmitga7rztfhvsja1c'],
  [48, 'shares', 'linucb-hybrid', 20, 9.4e13, '77jfdw6ch4e6nel21mm9ruq7h2yoxdbn56vrr0m7i80ppm'],
  [15, 'cents', 'lin-thompson', -1, 7.6e14, '2w9uyf77z7xltfvfpex99dz7j47q2wqwfpg1f6mat1db3iw'],
  [50, 'twice', 'linucb', 24, 4.0e15, '2bbff0kzsmgtsy9sg0159jpxjev3eqhme0k0vzcr3sl8o1u'],
  [153, 'powers', 'linucb-hybrid', 23, 3.4e16, 'es954uvke2rd1naon5ywikb8cpmxxkn6ul6hm10zpgrqh9'],
  [3, 'yyyymmdd', 'lin-thompson', -21, 1.4e3, '393cj6mzv5pqg7ifika8ht3jymzp1c5lpq1ctsfbik4i91'],
  [40, 'nearly', 'lin-thompson', 10, 2.3e6, '8qj2yviets8l3jkfmnm1o31wey1hzk1091t2tu1jumc37'],
  [146, 'offset', 'linucb', 0, 1.1e10, '1wouc8c7tnktazbpzidhzyczmxw8b9arwnummlnl31hwnrv'],
];

/** Events as bits. */
function bitsOf(retained: readonly number[]): string {
  return retained.reduce((bits, t) => bits | (1n << BigInt(t)), 0n).toString(36);
}

async function retainedOf([seed, kind, algorithm, exponent]: Exact, where: ReplayOptions) {
  const { arms, arm, payoff, context, features, parameters } = illConditioned({ seed, kind, algorithm, exponent });
  const columns = { armIndex: arm, arms, payoff, context, ...(features && { armFeatures: features }) };
  // One that has a kernel on any log: on a GPU nothing may run on the CPU alone.
  const learners = [{ algorithm, ...parameters }, { algorithm: 'random' }] as const;
  const options = { ...where, replicas: true, assumeUniform: true, verify: true } as const;
  const { learners: results, engine, warnings } = await replay(logFromColumns(columns), learners, options);
  expect(engine.verified).toMatchObject({ passed: true });
  expect(warnings.filter((text) => text.includes('digits') && !text.startsWith('replayed'))).toEqual([]);
  const { replicas, numerics } = results[0];
  const onGpu = (engine.onCpu ?? []).length === 0;
  return { bits: bitsOf(replicas?.[0].retained ?? []), numerics, onGpu, largest: Math.max(...payoff) };
}

it.each(EXACT)('seed %i, %s, %s, columns times 2^%i, condition %d: on the CPU', async (...one) => {
  const { bits, numerics } = await retainedOf(one, { device: 'cpu', threads: 1 });
  expect(bits).toBe(one[5]);
  expect(numerics?.residual).toBeLessThan(1e-12);
});

describe(`on ${ADAPTER}`, () => {
  let opened: OpenDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.device.destroy());

  // Beyond, the CPU replays nearly all.
  const cases = kernelCases(EXACT.filter(([, , , , condition]) => condition < 1e9));
  eachCase(
    cases.map((one, i) => ({ name: one.slice(0, 5).join(', '), long: i > 0, one })),
    async ({ one }) => {
      const { bits, numerics, onGpu, largest } = await retainedOf(one, { device: 'gpu', gpuDevice: opened.device });
      expect(bits).toBe(one[5]);
      // Clicks at condition numbers up to a hundred thousand are no matter for the CPU.
      if (one[4] < 1e5 && largest <= 1) expect(onGpu).toBe(true);
      expect(numerics?.residual).toBeLessThan(1e-12);
    },
    120_000,
  );
});
