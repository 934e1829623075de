/** Constant policies as a choice matrix with a single cell. */

import { armIndices } from '../arm-names.js';
import { emptyChoices } from '../compiled.js';
import type { PolicyFamily } from '../family.js';
import { type ConstantSpec, constantSchema } from './spec.js';

export const constant: PolicyFamily<ConstantSpec> = {
  name: 'constant',
  summary: 'always the same arm, one policy per arm',
  schema: constantSchema,
  computes: false,
  keyColumns: () => [],
  async compile(spec, log, _files, place) {
    const arms =
      spec.arms === undefined ? log.arms.ids.map((_, arm) => arm) : armIndices(log, spec.arms, place, 'arms');
    const choices = emptyChoices(arms.length, 1, log.arms.ids.length);
    choices.set(arms);
    return {
      kind: 'matrix',
      family: 'constant',
      policies: arms.length,
      names: arms.map((arm) => `constant ${log.arms.ids[arm]}`),
      cells: { count: 1, of: null },
      choices,
    };
  },
};
