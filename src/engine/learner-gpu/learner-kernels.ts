/** Algorithms that have a kernel. */

import { linucbHybridKernel } from './hybrid-kernel.js';
import type { MakeKernel } from './learner-kernel.js';
import { cempKernel, linThompsonKernel, linucbKernel } from './linear-kernel.js';
import { empKernel, epsilonGreedyKernel, randomKernel, sempKernel, ucb1Kernel, ucbKernel } from './means-kernel.js';
import { thompsonKernel } from './thompson-kernel.js';

const KERNELS: Readonly<Record<string, MakeKernel>> = {
  random: randomKernel,
  'epsilon-greedy': epsilonGreedyKernel,
  emp: empKernel,
  semp: sempKernel,
  ucb: ucbKernel,
  ucb1: ucb1Kernel,
  linucb: linucbKernel,
  'lin-thompson': linThompsonKernel,
  cemp: cempKernel,
  thompson: thompsonKernel,
  'linucb-hybrid': linucbHybridKernel,
};

/** Names of the algorithms that the GPU engine replays itself. */
export const GPU_LEARNERS: readonly string[] = Object.keys(KERNELS);

/** `null`: the CPU engine replays it. */
export function kernelOf(algorithm: string | null): MakeKernel | null {
  return algorithm === null ? null : (KERNELS[algorithm] ?? null);
}
