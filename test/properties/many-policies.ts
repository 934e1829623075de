/** Thousands of policies on a simulated news log, and every 64th of them. */
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { randomLinearPolicies } from '#dist/simulate/linear-policies.js';
import { simulateToday } from '#dist/simulate/today.js';
import { linearPolicies } from './worlds.js';

const POLICIES = 4096;
const EVERY = 64;

export function manyPolicies() {
  const { log, theta } = simulateToday({ events: 20_000, seed: 11 });
  const [arms, dimension] = [log.arms.ids.length, log.contexts.dimension];
  const weights = randomLinearPolicies({ policies: POLICIES, arms, dimension, seed: 12, theta });
  const size = arms * dimension;
  const sample = Array.from({ length: POLICIES / EVERY }, (_, i) => i * EVERY);
  const sampled = new Float32Array(sample.length * size);
  sample.forEach((p, i) => {
    sampled.set(weights.subarray(p * size, (p + 1) * size), i * size);
  });
  return {
    log,
    plan: runBlocks(log.events),
    all: linearPolicies(log, weights, POLICIES),
    sample,
    sampled: linearPolicies(log, sampled, sample.length),
  };
}
