/** A log whose arms were not drawn uniformly, and predictions of a reward model for it. */

import { logFromColumns } from '../../dist/log/from-columns/columns.js';
import { randomLinearPolicies } from '../../dist/simulate/linear-policies.js';
import { makeLog, SEED } from './work.mjs';

/** Share of arms that were drawn uniformly; the rest is the best by a linear policy of its own. */
const EPSILON = 0.2;

/** @returns the log, its contexts [L, d], and q̂ [L, K] of each event and arm, the same wherever contexts are. */
export function makeLogged({ events, arms, dimension, distinctContexts }) {
  const { contexts, arm, payoff } = makeLog({ events, arms, dimension, distinctContexts });
  const values = new Float32Array(events * dimension);
  const greedy = randomLinearPolicies({ policies: 1, arms, dimension, seed: SEED + 1 });
  const armIndex = new Uint32Array(events);
  const propensity = new Float64Array(events);
  const predictions = new Float64Array(events * arms);
  for (let t = 0; t < events; t++) {
    const from = (contexts.row === null ? t : contexts.row[t]) * dimension;
    for (let j = 0; j < dimension; j++) values[t * dimension + j] = contexts.values[from + j];
    let [best, most] = [0, Number.NEGATIVE_INFINITY];
    for (let a = 0; a < arms; a++) {
      let score = 0;
      for (let j = 0; j < dimension; j++) score += greedy[a * dimension + j] * values[t * dimension + j];
      if (score > most) [best, most] = [a, score];
      // Payoffs are 0.05 on average: something about it, of the size that scores have.
      predictions[t * arms + a] = 0.05 / (1 + Math.exp(-score));
    }
    // The arm of the uniform log at every fifth event, in no order.
    armIndex[t] = (Math.imul(t, 2654435761) >>> 0) / 2 ** 32 < EPSILON ? arm[t] : best;
    propensity[t] = EPSILON / arms + (armIndex[t] === best ? 1 - EPSILON : 0);
  }
  const log = logFromColumns({
    ...{ armIndex, arms, propensity, payoff: Float64Array.from(payoff.steps), payoffRange: [0, 1] },
    context: { values, dimension },
  });
  return { log, contexts: values, predictions };
}
