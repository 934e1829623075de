/** The multiplier bootstrap on the GPU (`shaders/draws.wgsl`). */

import { type DrawMaxima, type DrawProblem, emptyMaxima } from '../../estimate/selection/draws.js';
import type { GpuContext } from '../../gpu/context.js';
import type { RunOptions } from '../contract.js';
import { drawsKernel, LANES } from './kernels.js';

/** Rows that a workgroup goes through. */
const TILE_ROWS = 256;
/** Rows of a dispatch. */
const ROWS = 64 * TILE_ROWS;
/** Words of a row's scales, and of the result for a tile and draw. */
const SCALES = 3;
const RESULT = 4;

/** @throws EngineError where the device fails. */
export async function gpuMaxima(
  context: GpuContext,
  problem: DrawProblem,
  { signal }: Pick<RunOptions, 'signal'> = {},
): Promise<DrawMaxima> {
  const { rows, draws, stride, influences } = problem;
  const words = stride / 4;
  const pipeline = await context.pipeline(drawsKernel, {});
  const most = Math.min(rows, ROWS);
  const tiles = Math.ceil(most / TILE_ROWS);
  const bytes = tiles * draws * RESULT * 4;
  const multipliers = context.upload('multipliers', byWords(problem));
  const held = [
    multipliers,
    context.storage('influences', most * stride),
    context.storage('scales', most * SCALES * 4),
    context.storage('maxima', bytes),
    context.staging('maxima', bytes),
  ] as const;
  const [, own, scales, maxima, staging] = held;
  const result = emptyMaxima(draws);
  const largest = new Float32Array(draws).fill(Number.NEGATIVE_INFINITY);
  try {
    for (let first = 0; first < rows; first += ROWS) {
      signal?.throwIfAborted();
      const count = Math.min(ROWS, rows - first);
      const groups = Math.ceil(count / TILE_ROWS);
      context.write(own, new Uint32Array(influences.slice(first * stride, (first + count) * stride).buffer));
      context.write(scales, scalesOf(problem, first, count));
      const params = context.uniform(pipeline, { draws, rows: count, words, tileRows: TILE_ROWS });
      const encoder = context.device.createCommandEncoder();
      const bindings = { multipliers, influences: own, scales, maxima };
      context.dispatch(encoder, pipeline, params, bindings, Math.ceil(draws / LANES), groups);
      encoder.copyBufferToBuffer(maxima, 0, staging, 0, groups * draws * RESULT * 4);
      context.device.queue.submit([encoder.finish()]);
      context.free(params);
      await context.look(staging, groups * draws * RESULT * 4, (found) => merge(result, largest, found, first));
    }
    context.check();
    return result;
  } finally {
    context.free(...held);
  }
}

/** [words][D]: lanes of a workgroup read neighbours. */
function byWords({ draws, stride, multipliers }: DrawProblem): Uint32Array {
  const words = stride / 4;
  const own = new Uint32Array(multipliers.buffer, multipliers.byteOffset, draws * words);
  const turned = new Uint32Array(draws * words);
  for (let d = 0; d < draws; d++) for (let w = 0; w < words; w++) turned[w * draws + d] = own[d * words + w];
  return turned;
}

function scalesOf({ perSum, offset, spread }: DrawProblem, first: number, count: number): Uint32Array {
  const words = new Uint32Array(count * SCALES);
  const [floats, whole] = [new Float32Array(words.buffer), new Int32Array(words.buffer)];
  for (let i = 0; i < count; i++) {
    floats[i * SCALES] = perSum[first + i];
    whole[i * SCALES + 1] = offset[first + i];
    floats[i * SCALES + 2] = spread[first + i];
  }
  return words;
}

/** Tile after tile, so that of equal values that of the first row stays. */
function merge(
  { twoSided, oneSided, best }: DrawMaxima,
  largest: Float32Array,
  words: Uint32Array,
  first: number,
): void {
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  const draws = best.length;
  for (let at = 0; at < words.length; at += RESULT) {
    const d = (at / RESULT) % draws;
    twoSided[d] = Math.max(twoSided[d], floats[at]);
    oneSided[d] = Math.max(oneSided[d], floats[at + 1]);
    if (floats[at + 2] <= largest[d]) continue;
    largest[d] = floats[at + 2];
    best[d] = first + words[at + 3];
  }
}
