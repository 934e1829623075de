/** The screen of a batch. */

import type { ScoredBatch } from './batch.js';
import { JointScreen } from './joint/screen.js';
import type { DecisionLog } from './linear/cpu.js';
import { LinearScreen } from './linear/screen.js';
import type { Screen } from './screen.js';

/** How f32 may screen a batch's policies on a log. Cheap: weights are made when they are asked for. */
export function screenOf(batch: ScoredBatch, log: DecisionLog): Screen {
  return batch.kind === 'linear' ? new LinearScreen(batch, log) : new JointScreen(batch, log);
}
