/** The f64 kernels of scored families. A family that has none is decided by its reference. */

import type { ScoredPolicies } from '../../policy/compiled.js';
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
export function exactOf(job: CpuJob, compiled: ScoredPolicies, screen: Screen, chunk: number): ExactPolicies {
  const make = Object.hasOwn(KERNELS, compiled.family) ? (KERNELS[compiled.family] as MakeExact<ScoredPolicies>) : null;
  return make === null ? new ExactPlainly(job, screen) : make(job, compiled, screen, chunk);
}
