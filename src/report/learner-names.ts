/** Names of learners that are too long for a table: what all settings of an algorithm share is said once, not in each. */

import type { LearnerResult } from './replay-result.js';

type Named = Pick<LearnerResult, 'name' | 'algorithm' | 'parameters'>;

export interface ShortNames {
  /** In the order of the learners, as distinct as their names. */
  readonly names: readonly string[];
  /** What the names leave out, per algorithm: `emp priorTrials=100 priorPayoff=3`. */
  readonly shared: readonly string[];
}

/**
 * `linucb alpha=0.25 lambda=2` as `linucb alpha=0.25` where λ is 2 in every setting of LinUCB. A parameter that differs is named
 * in all of them, those that leave it to its default too. Names that would no longer be told apart stay as they are.
 */
export function shortNames(learners: readonly Named[]): ShortNames {
  const names = learners.map(({ name }) => name);
  const shared: string[] = [];
  for (const algorithm of new Set(learners.map((one) => one.algorithm))) {
    if (algorithm === 'custom') continue;
    const members = [...learners.entries()].filter(([, one]) => one.algorithm === algorithm);
    const keys = namedKeys(members.map(([, one]) => one));
    const differing = keys.filter((key) => new Set(members.map(([, one]) => one.parameters[key])).size > 1);
    const short = members.map(([, { name, parameters }]) => [
      algorithm,
      ...differing.filter((key) => parameters[key] !== undefined).map((key) => part(key, parameters[key])),
      // `#2`, for the second of the same name.
      ...(/ (#\d+)$/.exec(name)?.slice(1) ?? []),
    ]);
    const texts = short.map((parts) => parts.join(' '));
    if (new Set(texts).size < texts.length) continue;
    members.forEach(([i], m) => {
      names[i] = texts[m];
    });
    const same = keys.filter((key) => !differing.includes(key));
    const [, { parameters }] = members[0];
    if (same.length > 0) shared.push([algorithm, ...same.map((key) => part(key, parameters[key]))].join(' '));
  }
  return { names, shared };
}

/** `alpha=0.25`; `tieTolerance=1e-6` for 0.000001. */
function part(key: string, value: unknown): string {
  const text = String(value);
  if (typeof value !== 'number') return `${key}=${text}`;
  const exponential = value.toExponential();
  return `${key}=${exponential.length < text.length ? exponential : text}`;
}

/** Parameters that at least one of the names tells. */
function namedKeys(settings: readonly Named[]): string[] {
  const keys = new Set(settings.flatMap(({ parameters }) => Object.keys(parameters)));
  return [...keys].filter((key) =>
    settings.some(({ name, parameters }) => ` ${name} `.includes(` ${key}=${String(parameters[key])} `)),
  );
}
