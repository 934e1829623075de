/** Linear policies: weights read, checked against the log and put in the log's arm order. */

import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import { listNames } from '../../names/order.js';
import { plural } from '../../words.js';
import { armIndices } from '../arm-names.js';
import type { PolicyFamily, SpecPlace } from '../family.js';
import { shapeText } from '../npy.js';
import { specFault } from '../spec-faults.js';
import { byPlaceWarning, inLogOrder } from './column-order.js';
import { checkFinite, checkNames, readWeights, type WeightsFrom } from './read-weights.js';
import { type LinearSpec, linearSchema } from './spec.js';

export const linear: PolicyFamily<LinearSpec> = {
  name: 'linear',
  summary: 'the candidate with the largest weights · context',
  schema: linearSchema,
  computes: true,
  keyColumns: () => [],
  async compile(spec, log, files, place) {
    const { weights: given, from } = await readWeights(spec.weights, files, place);
    const axis = { what: 'context columns', names: log.contexts.columns };
    const weights = spec.columns === undefined ? given : inLogOrder(given, spec.columns, axis, place);
    const [policies, arms, dimension] = checkedShape(weights.shape, spec, log, from);
    checkFinite(weights, from);
    checkNames(spec.names, policies, place);
    const data = spec.arms === undefined ? weights.data : reordered(weights.data, spec.arms, policies, log, place);
    return {
      kind: 'scored',
      family: 'linear',
      policies,
      names: spec.names ?? Array.from({ length: policies }, (_, i) => (policies === 1 ? 'linear' : `linear ${i}`)),
      weights: data,
      arms,
      dimension,
      ...(spec.columns === undefined ? {} : { columns: spec.columns }),
      warnings:
        spec.columns === undefined && typeof spec.weights === 'string'
          ? byPlaceWarning('linear', axis, 'context.names')
          : [],
    };
  },
};

function checkedShape(
  shape: readonly number[],
  spec: LinearSpec,
  log: EventLog,
  from: WeightsFrom,
): [policies: number, arms: number, dimension: number] {
  const arms = log.arms.ids.length;
  const { dimension, columns } = log.contexts;
  const [policies, ...rest] = shape.length === 2 ? [1, ...shape] : shape;
  if (rest.length === 2 && rest[0] === arms && rest[1] === dimension && policies !== undefined && policies > 0) {
    return [policies, arms, dimension];
  }
  throw new InputError({
    ...from,
    problem: policies === 0 ? 'weights hold no policy' : 'weights have the wrong shape for this log',
    got: shapeText(shape),
    needed: `${shapeText(['P', arms, dimension])}: P policies, ${plural(arms, 'arm')}, ${plural(dimension, 'context column')}${
      columns.length > 0 && columns.length <= 40 ? ` (${columns.join(', ')})` : ''
    }`,
    hint: hintForShape(rest, spec, arms, dimension),
  });
}

function hintForShape(rest: number[], spec: LinearSpec, arms: number, dimension: number): string | undefined {
  if (rest.length === 2 && rest[0] === dimension && rest[1] === arms) {
    return 'arms and columns are swapped: weights.transpose(0, 2, 1)';
  }
  if (rest[0] !== arms && spec.arms !== undefined) return '`arms` must name every arm of the log once';
  if (rest[1] === dimension - 1) return 'a weight for the intercept is missing?';
  return undefined;
}

/** Copies the weight rows, given in the order of `ids`, into the log's arm order. */
function reordered(
  data: Float32Array | Float64Array,
  ids: readonly (string | number)[],
  policies: number,
  log: EventLog,
  place: SpecPlace,
): Float32Array | Float64Array {
  const order = armIndices(log, ids, place, 'arms');
  const arms = log.arms.ids.length;
  if (order.length !== arms) {
    const missing = log.arms.ids.filter((_, arm) => !order.includes(arm));
    const got = `${plural(order.length, 'arm')}; missing: ${listNames(missing)}`;
    throw specFault(place, ['arms'], {
      problem: 'arms of the log have no weights',
      got,
      needed: `all ${plural(arms, 'arm')} of the log`,
    });
  }
  const out = data.slice();
  const d = log.contexts.dimension;
  for (let policy = 0; policy < policies; policy++) {
    order.forEach((arm, row) => {
      const at = (policy * arms + row) * d;
      out.set(data.subarray(at, at + d), (policy * arms + arm) * d);
    });
  }
  return out;
}
