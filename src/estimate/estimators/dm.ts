/**
 * The direct method: v̂ = Σ Q / L, Q_t = q̂(x_t, π(x_t)), what a reward model predicts of the chosen arms. Its error is that of the
 * mean of Q only: what the model gets wrong is not in it. ψ = (Q − v̂)/L.
 */

import type { Estimator } from './estimator.js';
import { meanModelVariance } from './moments.js';

export const dm = {
  name: 'dm',
  summary: 'direct method: the reward model alone, whose own error no interval here knows',
  needs: 'nothing',
  usesModel: true,
  parameter: null,
  value: ({ events, residuals }) => (events === 0n ? null : residuals().inPayoffs(residuals().q, events)),
  // Without weights Σ w e and its squares are 0.
  variance: meanModelVariance,
  influence: (all, part) => {
    const { q, inPayoffs } = all.residuals();
    return inPayoffs(part.residuals().q * all.events - q * part.events, all.events * all.events);
  },
} as const satisfies Estimator;
