/**
 * Beta variates from the counter generator: Beta(a, b) = X / (X + Y) with X ~ Gamma(a) and Y ~ Gamma(b), each by
 *
 * G. Marsaglia & W. W. Tsang, "A simple method for generating gamma variables" (ACM TOMS 26, 2000), §4: for shape
 * α ≥ 1, d = α − 1/3 and c = 1/√(9d), draw x ~ N(0, 1) and u ~ U(0, 1) until v = (1 + cx)³ > 0 and
 * ln u < x²/2 + d − dv + d ln v; then dv ~ Gamma(α). For α < 1, Gamma(α) = Gamma(α + 1) · U^(1/α) (their §6).
 *
 * Every draw has a number of its own, so a variate is a pure function of (seed, replica, event, arm):
 *
 *     draw = 64 · arm + 32 · (0 for X, 1 for Y) + 2 · attempt + (0 for x, 1 for u),    attempt = 0 .. 14
 *     the U of shapes below 1 stands at attempt 15
 *
 * At least 95 % of attempts are accepted, so 15 rejections in a row have a probability below 10⁻¹⁹; d is returned then.
 */

import type { Draws } from '../draws.js';

const ATTEMPTS = 15;
const DRAWS_PER_GAMMA = 32;

/** Draws have 24-bit numbers. */
export const MOST_BETA_ARMS = 2 ** 24 / (2 * DRAWS_PER_GAMMA);

/** ln X, X ~ Gamma(shape, 1). The logarithm, because shapes far below 1 give numbers too small for f64. */
export function logGamma(draws: Draws, event: number, firstDraw: number, shape: number): number {
  if (shape < 1) {
    const u = 1 - draws.unit(event, firstDraw + 2 * ATTEMPTS);
    return logGamma(draws, event, firstDraw, shape + 1) + Math.log(u) / shape;
  }
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const x = draws.normal(event, firstDraw + 2 * attempt);
    const root = 1 + c * x;
    if (root <= 0) continue;
    const v = root * root * root;
    const logV = Math.log(v);
    const u = 1 - draws.unit(event, firstDraw + 2 * attempt + 1); // in (0, 1]
    if (Math.log(u) < (x * x) / 2 + d - d * v + d * logV) return Math.log(d) + logV;
  }
  return Math.log(d);
}

/** A Beta(a, b) variate for an arm at an event. */
export function betaDraw(draws: Draws, event: number, arm: number, a: number, b: number): number {
  const first = 2 * DRAWS_PER_GAMMA * arm;
  const logX = logGamma(draws, event, first, a);
  const logY = logGamma(draws, event, first + DRAWS_PER_GAMMA, b);
  return 1 / (1 + Math.exp(logY - logX));
}

/**
 * How close a variate is to being another one: the smallest distance from equality of any test that accepted or rejected
 * one of its attempts, relative to the largest term of the test (and to 1). Arithmetic whose terms are off by more than
 * that may decide the test otherwise, and then takes another attempt: a variate that has nothing to do with this one.
 */
export function betaCloseness(draws: Draws, event: number, arm: number, a: number, b: number): number {
  const first = 2 * DRAWS_PER_GAMMA * arm;
  return Math.min(gammaCloseness(draws, event, first, a), gammaCloseness(draws, event, first + DRAWS_PER_GAMMA, b));
}

/** `logGamma` once more, step by step, watching its tests; apart from it, because it is called for every decision. */
function gammaCloseness(draws: Draws, event: number, firstDraw: number, shape: number): number {
  const d = (shape < 1 ? shape + 1 : shape) - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  let closest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const x = draws.normal(event, firstDraw + 2 * attempt);
    const root = 1 + c * x;
    closest = Math.min(closest, Math.abs(root) / Math.max(1, Math.abs(c * x)));
    if (root <= 0) continue;
    const v = root * root * root;
    const logV = Math.log(v);
    const logU = Math.log(1 - draws.unit(event, firstDraw + 2 * attempt + 1));
    const gap = (x * x) / 2 + d - d * v + d * logV - logU;
    const terms = Math.max(1, (x * x) / 2, d * Math.abs(1 - v), d * Math.abs(logV), -logU);
    closest = Math.min(closest, Math.abs(gap) / terms);
    if (gap > 0) break;
  }
  return closest;
}
