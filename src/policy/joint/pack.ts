/** Joint-linear policies: weights read and checked against the log's contexts and arm features. */

import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import { ARM_FEATURES_HINT } from '../../log/feature-rows.js';
import { JOINT_FEATURES, type JointFeatures, jointNames } from '../../log/joint-features.js';
import type { PolicyFamily, SpecPlace } from '../family.js';
import { byPlaceWarning, inLogOrder, otherNamesWarning } from '../linear/column-order.js';
import { checkFinite, checkNames, readWeights, type WeightsFrom } from '../linear/read-weights.js';
import { shapeText } from '../npy.js';
import { specFault } from '../spec-faults.js';
import { describeJoint, jointDimension } from './features.js';
import { type JointSpec, jointSchema } from './spec.js';

export const joint: PolicyFamily<JointSpec> = {
  name: 'joint-linear',
  summary: 'the candidate with the largest weights · features of context and candidate, one weight vector for all arms',
  schema: jointSchema,
  computes: true,
  keyColumns: () => [],
  async compile(spec, log, files, place) {
    checkLog(spec, log, place);
    const { weights: given, from, columns: named } = await readWeights(spec.weights, files, place);
    const names = jointNames(spec.features, log.contexts.columns, log.armFeatures?.columns ?? []);
    const axis = { what: `components of "${spec.features}"`, names };
    const known = new Set(names);
    // A Parquet file says itself what its columns are, where it calls any of them by its name.
    const columns = spec.columns ?? (named?.some((name) => known.has(name)) ? named : undefined);
    const weights = columns === undefined ? given : inLogOrder(given, columns, axis, place);
    const [policies, dimension] = checkedShape(weights.shape, spec.features, log, from);
    checkFinite(weights, from);
    checkNames(spec.names, policies, place);
    const fallback = (i: number): string => (policies === 1 ? 'joint-linear' : `joint-linear ${i}`);
    return {
      kind: 'scored',
      family: 'joint-linear',
      policies,
      names: spec.names ?? Array.from({ length: policies }, (_, i) => fallback(i)),
      features: spec.features,
      weights: weights.data,
      dimension,
      ...(columns === undefined ? {} : { columns }),
      warnings: [
        ...(columns === undefined && typeof spec.weights === 'string'
          ? byPlaceWarning('joint-linear', axis, `armFeatures.jointColumns.${spec.features}`)
          : []),
        ...(columns === undefined && named !== undefined ? otherNamesWarning(named, axis, from) : []),
      ],
    };
  },
};

function checkLog({ features }: JointSpec, log: EventLog, place: SpecPlace): void {
  if (log.armFeatures === null || log.armFeatures.dimension === 0) {
    throw specFault(place, ['family'], {
      problem: 'joint-linear policies weigh features of arms, and the log has none',
      hint: ARM_FEATURES_HINT,
    });
  }
  if (features !== 'product' || log.contexts.dimension > 0) return;
  throw specFault(place, ['features'], {
    problem: 'products need a context, and the log has none',
    got: '"product"',
    hint: 'give the log context columns, or take "features": "arm"',
  });
}

function checkedShape(
  shape: readonly number[],
  features: JointFeatures,
  log: EventLog,
  from: WeightsFrom,
): [policies: number, dimension: number] {
  const dx = log.contexts.dimension;
  const dz = log.armFeatures?.dimension ?? 0;
  const dimension = jointDimension(features, dx, dz);
  const [policies, ...rest] = shape.length === 1 ? [1, ...shape] : shape;
  if (rest.length === 1 && rest[0] === dimension && policies !== undefined && policies > 0) {
    return [policies, dimension];
  }
  const other = JOINT_FEATURES.find((one) => jointDimension(one, dx, dz) === rest.at(-1));
  const swapped = rest.length === 1 && policies === dimension;
  throw new InputError({
    ...from,
    problem: policies === 0 ? 'weights hold no policy' : 'weights have the wrong shape for this log',
    got: shapeText(shape),
    needed: `${shapeText(['P', dimension])}: P policies, ${dimension} components of "${features}" (${describeJoint(features, dx, dz)})`,
    hint: swapped
      ? 'policies and components are swapped: weights.T'
      : rest.length === 1 && other !== undefined && other !== features
        ? `these are as many as "features": "${other}" has (${describeJoint(other, dx, dz)})`
        : undefined,
  });
}
