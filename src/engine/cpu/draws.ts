/** The multiplier bootstrap on the CPU (`wasm/draws.as.ts`), giving way to timers and signals between batches of policies. */

import type { DrawMaxima, DrawProblem, DrawSums, Draws } from '../../estimate/selection/draws.js';
import type { RunOptions } from '../contract.js';
import { Pauses } from '../pauses.js';
import { BATCH, DrawsKernel, SumsKernel } from './wasm/draws.js';

export async function drawMaxima(problem: DrawProblem, options: Pick<RunOptions, 'signal'> = {}): Promise<DrawMaxima> {
  const kernel = new DrawsKernel(problem);
  const pauses = new Pauses(options);
  for (let first = 0; first < problem.rows; first += BATCH) {
    kernel.add(first, Math.min(problem.rows, first + BATCH));
    if (pauses.count(1)) await pauses.yieldToEventLoop();
  }
  return kernel.maxima();
}

/** Sums by themselves, which are for the CPU on every engine. */
export function drawSums(draws: Draws, rows: Int16Array): DrawSums {
  const kernel = new SumsKernel(draws, rows);
  return (group) => kernel.of(group);
}
