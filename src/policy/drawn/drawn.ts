/**
 * Policies that draw their arm: each candidate has a probability. They are evaluated by weights π(a_t|x_t)/p_t of the logged arms,
 * and not by what they would choose: engines decide for policies that choose, and never see these.
 */

import type { EventLog } from '../../log/event-log.js';
import type { CompiledBase, CompiledPolicies } from '../compiled.js';

/** Probabilities π(a|x_t) of policies on the events of one log. */
export interface Probabilities {
  /** Of the logged arm. */
  logged(policy: number, event: number): number;
  /** Of each candidate, in the order of the event's set; `null`: nothing is known but the logged arms'. */
  readonly candidates: ((policy: number, event: number, out: Float64Array) => void) | null;
}

export interface DrawnPolicies extends CompiledBase {
  readonly kind: 'drawn';
  readonly probabilities: Probabilities;
  /** They choose with probability 1 − ε, and else draw uniformly; absent: they are no such mixture. */
  readonly mixture?: { readonly base: CompiledPolicies; readonly epsilon: number };
}

/** Policies that choose, or that draw. */
export type AnyPolicies = CompiledPolicies | DrawnPolicies;

/** Candidates of an event: `pools.arms[from .. to)`. */
export function candidateRange({ pools }: Pick<EventLog, 'pools'>, event: number): [from: number, to: number] {
  const set = pools.pool === null ? 0 : pools.pool[event];
  return [pools.offsets[set], pools.offsets[set + 1]];
}

/** The policies with probability 1 − ε, and with ε a candidate that is drawn uniformly. */
export function withUniform(base: Probabilities, epsilon: number, log: EventLog): Probabilities {
  const { candidates } = base;
  const size = (event: number): number => {
    const [from, to] = candidateRange(log, event);
    return to - from;
  };
  return {
    logged: (policy, event) => (1 - epsilon) * base.logged(policy, event) + epsilon / size(event),
    candidates:
      candidates === null
        ? null
        : (policy, event, out) => {
            candidates(policy, event, out);
            const count = size(event);
            for (let i = 0; i < count; i++) out[i] = (1 - epsilon) * out[i] + epsilon / count;
          },
  };
}
