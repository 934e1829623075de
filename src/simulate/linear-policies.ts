/** Random linear policies for demonstrations, benchmarks and tests. */

import { checkOptions, type OptionShape, option } from '../options/check-options.js';
import { checkWhole, PURPOSE, WorldDraws } from './draws.js';

export interface LinearPoliciesOptions {
  /** Number of policies, P. */
  policies: number;
  /** Number of arms, K. */
  arms: number;
  /** Length of a context, d. */
  dimension: number;
  /** A whole number in 0..2³²−1. */
  seed: number;
  /** [K, d]: the weights of a good policy (a world's θ). Left out: pure noise. */
  theta?: ArrayLike<number>;
}

/** Values are checked where they are used. */
const LINEAR_OPTIONS: OptionShape<LinearPoliciesOptions> = {
  policies: option.elsewhere,
  arms: option.elsewhere,
  dimension: option.elsewhere,
  seed: option.elsewhere,
  theta: option.elsewhere,
};

/**
 * Weights [P, K, d] in f32, each policy an imperfect model of `theta`: θ, scaled to deviation 1, blended with noise by a
 * skill drawn per policy in 0..1. So policies range from guessing to nearly the best.
 */
export function randomLinearPolicies(options: LinearPoliciesOptions): Float32Array {
  checkOptions(options, LINEAR_OPTIONS);
  const { policies, arms, dimension, seed, theta } = options;
  checkWhole('the number of policies', policies, 0);
  checkWhole('the number of arms', arms, 1);
  checkWhole('the dimension', dimension, 1);
  const draws = new WorldDraws(seed);
  const size = arms * dimension;
  const model = theta === undefined ? null : standardized(theta, size, dimension);
  const weights = new Float32Array(policies * size);
  for (let p = 0; p < policies; p++) {
    // Squared, so that the best are few.
    const skill = model === null ? 0 : draws.unit(p, PURPOSE.skill) ** 2;
    for (let i = 0; i < size; i++) {
      const noise = draws.bell(p, PURPOSE.weight + i);
      weights[p * size + i] = model === null ? noise : skill * model[i] + (1 - skill) * noise;
    }
  }
  return weights;
}

/** Each feature's weights less their mean over the arms (which changes no choice), over the deviation of them all. */
function standardized(theta: ArrayLike<number>, size: number, dimension: number): Float64Array {
  const model = Float64Array.from({ length: size }, (_, i) => theta[i]);
  let squares = 0;
  for (let j = 0; j < dimension; j++) {
    let sum = 0;
    for (let i = j; i < size; i += dimension) sum += model[i];
    const mean = (sum * dimension) / size;
    for (let i = j; i < size; i += dimension) {
      model[i] -= mean;
      squares += model[i] * model[i];
    }
  }
  const deviation = Math.sqrt(squares / size);
  return deviation === 0 ? model : model.map((w) => w / deviation);
}
