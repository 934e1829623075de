/**
 * The definition of every fixed policy's answer: slow, readable, one decision at a time. Engines and `--verify` are
 * compared with it.
 */

import type { EventLog } from '../log/event-log.js';
import type { CompiledPolicies, MatrixPolicies } from './compiled.js';
import { scoredFamily } from './scored-families.js';
import { uniformChoice } from './uniform/cpu.js';

/** "No arm": matches nothing. */
export const NO_CHOICE = -1;

/** Arm index that a policy (0 to P − 1) chooses at an event (0 to L − 1), or −1 for none. */
export function referenceChoice(compiled: CompiledPolicies, log: EventLog): (policy: number, event: number) => number {
  switch (compiled.kind) {
    case 'matrix':
      return (policy, event) => matrixChoice(compiled, policy, event);
    case 'scored': {
      const family = scoredFamily(compiled);
      return (policy, event) => family.choice(compiled, log, policy, event);
    }
    case 'uniform':
      return (policy, event) => uniformChoice(compiled, log, policy, event);
  }
}

/** Arm index in a choice matrix at an event, or −1 for none. */
export function matrixChoice({ cells, choices }: MatrixPolicies, policy: number, event: number): number {
  const cell = cells.of !== null ? cells.of[event] : cells.count === 1 ? 0 : event;
  const choice = choices[policy * cells.count + cell];
  const none = choices.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffffffff;
  return choice === none ? NO_CHOICE : choice;
}
