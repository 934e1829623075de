/** The f64 kernels of scored families. A family that has none is decided by its reference. */

import type { ScoredBatch } from '../../policy/batch.js';
import type { Screen } from '../../policy/screen.js';
import { ExactJoint } from './exact-joint.js';
import { ExactLinear } from './exact-linear.js';
import { ExactPlainly } from './exact-plainly.js';
import type { ExactPolicies, MakeExact } from './exact-policies.js';
import type { CpuJob } from './job.js';

const KERNELS: Readonly<Record<string, MakeExact<never>>> = {
  linear: (...made: ConstructorParameters<typeof ExactLinear>) => new ExactLinear(...made),
  'joint-linear': (...made: ConstructorParameters<typeof ExactJoint>) => new ExactJoint(...made),
};

/** @param chunk most cells at a time. */
export function exactOf(job: CpuJob, batch: ScoredBatch, screen: Screen, chunk: number): ExactPolicies {
  const make = Object.hasOwn(KERNELS, batch.family) ? (KERNELS[batch.family] as MakeExact<ScoredBatch>) : null;
  return make === null ? new ExactPlainly(job, screen) : make(job, batch, screen, chunk);
}
