/** Which estimators are asked for, with what they go by. */

import { InputError } from '../../errors.js';
import { type Clip, isClip } from '../weights/clips.js';
import { FULL_WEIGHT, type WeightRule } from '../weights/weight-rule.js';
import type { Estimator, Parameter, Parameters } from './estimator.js';
import { type EstimatorName, findEstimator } from './index.js';

/** An estimator with what it was told. */
export interface ChosenEstimator {
  readonly estimator: Estimator & { readonly name: EstimatorName };
  /** What a match counts; `null`: it does not go by weights. */
  readonly rule: WeightRule | null;
  readonly parameter: number | null;
  /** M is chosen for each policy among these and none, whose rule the above is. */
  readonly clips?: Exclude<Clip, number>;
}

/** As messages name each, and what it may be. */
const PARAMETERS: Record<Parameter, { readonly flag: string; readonly needed: string }> = {
  clip: {
    flag: '--clip M (in code: clip)',
    needed: 'a number above 0, the largest weight 1/p that counts; or several, or auto: one is chosen for each policy',
  },
  switch: {
    flag: '--switch τ (in code: switch)',
    needed: 'a number above 0, the largest weight 1/p that is not left to the model',
  },
  shrinkage: {
    flag: '--shrinkage λ (in code: shrinkage)',
    needed: 'a number above 0: weights w become λw/(w² + λ)',
  },
};

/** @throws InputError for names that do not exist or are repeated, parameters that are missing, not usable, or that nothing goes by. */
export function chooseEstimators(names: readonly string[], parameters: Parameters): ChosenEstimator[] {
  if (names.length === 0)
    throw new InputError({ problem: 'no estimator is named', needed: 'at least one, such as snips' });
  const estimators = names.map(findEstimator);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new InputError({ problem: 'an estimator is named twice', got: twice, needed: 'each name once' });
  for (const [name, { flag }] of Object.entries(PARAMETERS)) {
    const users = estimators.filter(({ parameter }) => parameter === name);
    if (users.length > 0 || parameters[name as Parameter] === undefined) continue;
    throw new InputError({
      problem: `option ${flag} is for estimators that are not asked for`,
      got: `--estimator ${names.join(',')}`,
      needed: `${name === 'clip' ? 'ips-clip, snips-clip or dr-clip' : name === 'switch' ? 'switch-dr' : 'dros'} among them, or no such option`,
    });
  }
  return estimators.map((estimator) => {
    const { parameter, weights } = estimator;
    if (weights === undefined) return { estimator, rule: null, parameter: null };
    if (parameter === null) return { estimator, rule: weights(1), parameter: null };
    const { flag, needed } = PARAMETERS[parameter];
    const value = parameters[parameter];
    if (value === undefined)
      throw new InputError({
        problem: `the estimator ${estimator.name} goes by option ${flag}, which is not given`,
        needed,
      });
    if (!(parameter === 'clip' ? isClip(value) : Number(value) > 0))
      throw new InputError({ problem: `option ${flag} is not usable`, got: String(value), needed });
    if (typeof value === 'number') return { estimator, rule: weights(value), parameter: value };
    return { estimator, rule: FULL_WEIGHT, parameter: null, clips: value };
  });
}
