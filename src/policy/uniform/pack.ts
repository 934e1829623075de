/** Uniform policies: nothing to pack but seed and replica numbers. */

import type { PolicyFamily } from '../family.js';
import { type UniformSpec, uniformSchema } from './spec.js';

export const uniform: PolicyFamily<UniformSpec> = {
  name: 'uniform',
  summary: 'a random candidate per event, seeded',
  schema: uniformSchema,
  computes: false,
  keyColumns: () => [],
  async compile(spec) {
    const name = spec.seed === 0 ? 'uniform' : `uniform (seed ${spec.seed})`;
    return {
      kind: 'uniform',
      family: 'uniform',
      policies: spec.replicas,
      names: Array.from({ length: spec.replicas }, (_, i) => (spec.replicas === 1 ? name : `${name} ${i}`)),
      seed: spec.seed,
      replica: Uint32Array.from({ length: spec.replicas }, (_, i) => i),
    };
  },
};
