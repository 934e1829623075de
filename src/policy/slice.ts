/** Some of an entry's policies, as an entry of their own whose numbers are copied: engines share what they are given as a whole. */

import type { CompiledPolicies } from './compiled.js';
import type { AnyPolicies, DrawnPolicies, Probabilities } from './drawn/drawn.js';

/** Policies [from, to). */
export function slicePacked(packed: AnyPolicies, from: number, to: number): AnyPolicies {
  if (from === 0 && to === packed.policies) return packed;
  return packed.kind === 'drawn' ? sliceDrawn(packed, from, to) : sliceChosen(packed, from, to);
}

function sliceChosen(packed: CompiledPolicies, from: number, to: number): CompiledPolicies {
  const own = { policies: to - from, names: packed.names.slice(from, to) };
  if (packed.kind === 'uniform') return { ...packed, ...own, replica: packed.replica.slice(from, to) };
  if (packed.kind === 'matrix')
    return { ...packed, ...own, choices: rows(packed.choices, packed.policies, from, to) as typeof packed.choices };
  return { ...packed, ...own, weights: rows(packed.weights, packed.policies, from, to) as typeof packed.weights };
}

function sliceDrawn(packed: DrawnPolicies, from: number, to: number): DrawnPolicies {
  const { probabilities, mixture } = packed;
  const { candidates } = probabilities;
  const own: Probabilities = {
    logged: (policy, event) => probabilities.logged(from + policy, event),
    candidates: candidates === null ? null : (policy, event, out) => candidates(from + policy, event, out),
  };
  return {
    ...packed,
    ...{ policies: to - from, names: packed.names.slice(from, to), probabilities: own },
    ...(mixture === undefined ? {} : { mixture: { ...mixture, base: sliceChosen(mixture.base, from, to) } }),
  };
}

/** Rows [from, to) of a matrix of so many. */
function rows<Values extends { readonly length: number; slice(from: number, to: number): Values }>(
  values: Values,
  count: number,
  from: number,
  to: number,
): Values {
  const width = values.length / count;
  return values.slice(from * width, to * width);
}
