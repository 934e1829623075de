/** Maxima of the multiplier bootstrap: WebAssembly and shader find what the plain reference does, to the last bit. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { drawSums } from '#dist/engine/cpu/draws.js';
import { GpuBackend } from '#dist/engine/gpu/backend.js';
import { type DrawMaxima, drawProblem, LANES, makeDraws, referenceMaxima } from '#dist/estimate/selection/draws.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { openTestDevice } from '../adapter.js';
import { uniforms } from '../estimate/world.js';

let opened: OpenDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => opened.device.destroy());

/** Rows that go along with each other, with an outlier each and, every third, no influence of most blocks. */
function rows(count: number, blocks: number, seed: number): { influences: Float64Array[]; values: number[] } {
  const random = uniforms(seed);
  const shared = Float64Array.from({ length: blocks }, () => random() - 0.5);
  const influences = Array.from({ length: count }, (_, p) => {
    const row = Float64Array.from({ length: blocks }, (_, b) =>
      p % 3 === 2 && b % 7 > 0 ? 0 : 1e-3 * (random() - 0.5 + shared[b]),
    );
    row[p % blocks] += 2e-3;
    return row;
  });
  return { influences, values: influences.map(() => 0.05 + 1e-3 * random()) };
}

const bits = ({ twoSided, oneSided, best }: DrawMaxima): unknown => [
  new Uint32Array(twoSided.buffer, twoSided.byteOffset, twoSided.length),
  new Uint32Array(oneSided.buffer, oneSided.byteOffset, oneSided.length),
  best,
];

test.each([
  // Blocks beyond a multiple of 8, draws beyond one of 8 and 64, rows beyond fours, batches of 256 and tiles of the shader.
  [1, 2, 9],
  [1, 1, 1],
  [3, 8, 64],
  [4, 256, 65],
  [33, 37, 200],
  [257, 255, 71],
  [515, 64, 130],
  [5, 1024, 40],
])('%i policies, %i blocks, %i draws', async (policies, blocks, draws) => {
  const { influences, values } = rows(policies, blocks, policies * 7 + draws);
  const problem = drawProblem(makeDraws(blocks, draws, 11), influences, values);
  const expected = bits(referenceMaxima(problem));
  const cpu = new CpuBackend({ threads: 1 });
  const gpu = new GpuBackend(opened.device);
  expect(bits(await cpu.maxima(problem))).toEqual(expected);
  expect(bits(await gpu.maxima(problem))).toEqual(expected);
  await cpu.close();
  await gpu.close();
});

test('equal policies: the first is the best of every draw', async () => {
  const { influences, values } = rows(1, 40, 3);
  const same = Array.from({ length: 300 }, () => influences[0]);
  const problem = drawProblem(makeDraws(40, 100, 1), same, new Array(300).fill(values[0]));
  const gpu = new GpuBackend(opened.device);
  for (const backend of [new CpuBackend({ threads: 1 }), gpu]) {
    expect((await backend.maxima(problem)).best).toEqual(new Uint32Array(100));
    await backend.close();
  }
});

test('more rows than a dispatch takes', async () => {
  const { influences, values } = rows(100, 8, 5);
  const many = Array.from({ length: 16_500 }, (_, p) => influences[p % 100]);
  const better = many.map((_, p) => values[p % 100] + (p === 16_450 ? 1 : 0));
  const problem = drawProblem(makeDraws(8, 17, 2), many, better);
  const gpu = new GpuBackend(opened.device);
  const found = await gpu.maxima(problem);
  expect(bits(found)).toEqual(bits(referenceMaxima(problem)));
  expect(found.best).toEqual(new Uint32Array(17).fill(16_450));
  await gpu.close();
});

test('sums of eight draws are those of the reference', () => {
  const draws = makeDraws(37, 21, 4);
  const random = uniforms(9);
  const own = Int16Array.from({ length: 5 * draws.stride }, () => Math.round((random() - 0.5) * 2 * 16383));
  const sums = drawSums(draws, own);
  for (let d = 0; d < 21; d++) {
    const group = sums(Math.floor(d / LANES));
    for (let p = 0; p < 5; p++) {
      let sum = 0;
      for (let b = 0; b < draws.stride; b++) sum += own[p * draws.stride + b] * draws.multipliers[d * draws.stride + b];
      expect(group[p * LANES + (d % LANES)]).toBe(sum);
    }
  }
});
