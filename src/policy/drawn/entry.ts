/** Entries of a policy set whose policies draw their arm: what makes them so, and how they are packed. */

import { z } from 'zod';
import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import { pathText } from '../../options/path-text.js';
import type { ScoredPolicies } from '../compiled.js';
import type { SpecPlace } from '../family.js';
import { chosenProbabilities } from './chosen.js';
import { type AnyPolicies, type DrawnPolicies, withUniform } from './drawn.js';
import { softmaxProbabilities } from './softmax.js';

/** ε of an entry of any family. */
export const epsilon = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .describe(
    'ε in 0 to 1: with this probability the policies draw a candidate uniformly, and else do what the entry says. Needs an estimator that goes by weights, such as snips',
  );

/** T of an entry whose policies score candidates. */
export const temperature = z
  .number()
  .positive()
  .optional()
  .describe(
    'T above 0: candidates are drawn with probabilities proportional to exp(score / T), in place of the one with the largest score. Needs an estimator that goes by weights, such as snips',
  );

interface Draws {
  readonly family: string;
  readonly epsilon?: number | undefined;
  readonly temperature?: number | undefined;
  readonly names?: unknown;
  readonly of?: unknown;
}

/** Why policies of an entry draw their arm, as messages name it; `null`: they choose. */
export function drawnBy(spec: Draws): 'epsilon' | 'temperature' | 'family' | null {
  if (spec.family === 'probabilities') return 'family';
  if (spec.temperature !== undefined) return 'temperature';
  return (spec.epsilon ?? 0) > 0 ? 'epsilon' : null;
}

/** Probabilities of the logged arms are all that is known. */
export function ofLogged({ family, of }: Draws): boolean {
  return family === 'probabilities' && of === 'logged';
}

/** The policies as the entry has them draw; those that choose stay as they are. */
export function asDrawn(packed: AnyPolicies, spec: Draws, log: EventLog): AnyPolicies {
  if (drawnBy(spec) === null) return packed;
  const { epsilon: share = 0, temperature: heat } = spec;
  const { family, policies, names, warnings, seed, columns } = packed;
  const base =
    packed.kind === 'drawn'
      ? packed.probabilities
      : heat === undefined
        ? chosenProbabilities(packed, log)
        : softmaxProbabilities(packed as ScoredPolicies, heat, log);
  const suffix = `${heat === undefined ? '' : `, T ${heat}`}${share === 0 ? '' : `, ε ${share}`}`;
  return {
    kind: 'drawn',
    ...{ family, policies, names: spec.names === undefined ? names.map((name) => name + suffix) : names },
    ...(warnings === undefined ? {} : { warnings }),
    ...(seed === undefined ? {} : { seed }),
    ...(columns === undefined ? {} : { columns }),
    probabilities: share === 0 ? base : withUniform(base, share, log),
    ...(packed.kind === 'drawn' || heat !== undefined ? {} : { mixture: { base: packed, epsilon: share } }),
  } satisfies DrawnPolicies;
}

/** The first of some entries that chooses, or mixes, what this one mixes; −1: none does. */
export function sameChoices(spec: Draws, entries: readonly Draws[]): number {
  const own = choicesOf(spec);
  const keys = Object.keys(own);
  return entries.findIndex((entry) => {
    const other = choicesOf(entry);
    if (entry.temperature !== undefined || Object.keys(other).length !== keys.length) return false;
    // Weights that were made in code are the same if they are the same object.
    return keys.every((key) => own[key] === other[key]);
  });
}

function choicesOf({ epsilon: _, names: __, ...spec }: Draws): Readonly<Record<string, unknown>> {
  return spec;
}

/** @throws InputError where an entry's policies draw. @param who needs a choice, to begin a sentence with. */
export function requireChoices(
  set: readonly { readonly spec: Draws; readonly place: SpecPlace }[],
  who: string,
  hint: string,
): void {
  for (const { spec, place } of set) {
    const by = drawnBy(spec);
    if (by === null) continue;
    throw new InputError({
      file: place.file,
      path: pathText(place.path, [by]),
      problem: `${who}, and these policies draw theirs`,
      got: by === 'family' ? `"${spec.family}"` : String(spec[by]),
      needed: 'policies that choose one arm in a context',
      hint,
    });
  }
}
