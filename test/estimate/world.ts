/** Small logs as estimators see them, one policy on them, and what the definitions say of it. */

import { type EstimateRequest, Estimates } from '#dist/estimate/estimates.js';
import { chooseEstimators } from '#dist/estimate/estimators/choose.js';
import type { Parameters } from '#dist/estimate/estimators/estimator.js';
import type { EventNumbers, Predictions } from '#dist/estimate/event-numbers.js';
import type { EstimateOptions } from '#dist/estimate/one-estimate.js';
import type { Standing } from '#dist/estimate/selection/standing.js';
import { emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import type { PayoffScale } from '#dist/estimate/sums/payoff-scale.js';
import { isChoiceTable, tableWord } from '#dist/estimate/sums/summands.js';
import { STREAM, threefry2x32, toUnit } from '#dist/random/threefry.js';
import { CLICKS } from './helpers.js';

/** One event: payoff in steps, propensity, the logged arm, the policy's, and what a model predicts of each arm. */
export interface Event {
  readonly k: number;
  readonly p: number;
  readonly arm: number;
  readonly choice: number;
  readonly q?: readonly number[];
}

export const ARMS = ['a', 'b', 'c'];

export interface Asked extends Parameters {
  readonly names: readonly string[];
  readonly interval?: string;
  readonly scale?: PayoffScale;
  /** Events of a block, and of a batch; default: three, and all. */
  readonly block?: number;
  readonly batch?: number;
  readonly dependent?: boolean;
  readonly mostWeight?: number;
  readonly confidence?: number;
}

export function numbersOf(events: readonly Event[], scale: PayoffScale = CLICKS): EventNumbers {
  return {
    events: events.length,
    payoff: {
      scale,
      steps: Uint32Array.from(events, ({ k }) => k),
      maxSteps: events.reduce((most, { k }) => Math.max(most, k), 1),
    },
    propensity: Float64Array.from(events, ({ p }) => p),
    arms: { ids: ARMS },
    arm: Uint32Array.from(events, ({ arm }) => arm),
    pools: { offsets: Uint32Array.of(0, 3), arms: Uint32Array.of(0, 1, 2), pool: null },
  };
}

export function predictionsOf(events: readonly Event[]): Predictions {
  return {
    values: Float64Array.from(events.flatMap(({ q = [0, 0, 0] }) => q)),
    rows: events.length,
    row: null,
  };
}

/** Uniform numbers in [0, 1), the same for a seed. */
export function uniforms(seed: number): () => number {
  const out = new Uint32Array(2);
  let next = 0;
  return () => {
    threefry2x32(seed, STREAM.simulation, next++, 0, out);
    return toUnit(out[0], out[1]);
  };
}

/** The policy's estimates: its sums added up event by event. */
export function estimate(events: readonly Event[], asked: Asked) {
  const { names, interval, scale = CLICKS, block = 3, batch = Math.max(1, events.length), ...parameters } = asked;
  const { dependent = false, mostWeight = null, confidence = 0.95, clip, switch: most, shrinkage } = parameters;
  const request: EstimateRequest = {
    chosen: chooseEstimators(names, { clip, switch: most, shrinkage }),
    interval,
    validEvents: null,
  };
  const log = numbersOf(events, scale);
  const estimates = new Estimates(log, request);
  const batches: Event[][] = [];
  for (let from = 0; from < events.length; from += batch) batches.push(events.slice(from, from + batch));
  const numbers = (part: readonly Event[]): EventNumbers => {
    const own = numbersOf(part, scale);
    return { ...own, payoff: { ...own.payoff, maxSteps: log.payoff.maxSteps } };
  };
  for (const part of batches) estimates.survey(numbers(part));
  for (const part of batches) estimates.surveyModel(numbers(part), predictionsOf(part));
  const blocks = Math.max(1, Math.ceil(events.length / block));
  const sizes = Float64Array.from({ length: blocks }, (_, b) => Math.min(block, events.length - b * block));
  const stats = emptyBlockStatistics(1, sizes, estimates.kinds(false));
  let t = 0;
  for (const part of batches) {
    const summands = estimates.columns(numbers(part), estimates.usesModel ? predictionsOf(part) : null);
    for (let i = 0; i < part.length; i++, t++) {
      const b = Math.floor(t / block);
      const { arm, choice } = part[i];
      if (arm === choice) stats.matches[b]++;
      summands.forEach((summand, c) => {
        const isTable = isChoiceTable(summand);
        if (!isTable && arm !== choice) return;
        const word = isTable ? tableWord(summand, i, choice) : summand.words[i];
        stats.columns[c][b] =
          summand.reduce === 'sum' ? stats.columns[c][b] + word : Math.max(stats.columns[c][b], word);
      });
    }
  }
  const options: EstimateOptions = { confidence, effectiveArms: 3, dependent, mostWeight };
  const standing = (): Standing => estimates.standing(stats, 0, options);
  return { run: estimates, row: estimates.estimate(stats, 0, options), stats, options, standing };
}
