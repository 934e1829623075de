/** Policies that choose, as such that draw: all probability is the chosen candidate's. */

import type { Cells } from '../../log/cells.js';
import type { EventLog } from '../../log/event-log.js';
import type { CompiledPolicies } from '../compiled.js';
import { referenceChoice } from '../reference.js';
import { scoredFamily } from '../scored-families.js';
import { candidateRange, type Probabilities } from './drawn.js';

/** No choice is known yet. */
const UNKNOWN = -2;

export function chosenProbabilities(compiled: CompiledPolicies, log: EventLog): Probabilities {
  const choose = remembered(compiled, log);
  const { arms } = log.pools;
  return {
    logged: (policy, event) => (choose(policy, event) === log.arm[event] ? 1 : 0),
    candidates: (policy, event, out) => {
      const choice = choose(policy, event);
      const [from, to] = candidateRange(log, event);
      for (let i = from; i < to; i++) out[i - from] = arms[i] === choice ? 1 : 0;
    },
  };
}

/** Scores are not computed twice for one policy and cell. */
function remembered(compiled: CompiledPolicies, log: EventLog): (policy: number, event: number) => number {
  const choose = referenceChoice(compiled, log);
  if (compiled.kind !== 'scored') return choose;
  const cells = scoredFamily(compiled).cells(compiled, log);
  const cellOf = cellAt(cells);
  const choices = new Int32Array(cells.count).fill(UNKNOWN);
  let inHand = -1;
  return (policy, event) => {
    if (policy !== inHand) {
      choices.fill(UNKNOWN);
      inHand = policy;
    }
    const cell = cellOf(event);
    if (choices[cell] === UNKNOWN) choices[cell] = choose(policy, event);
    return choices[cell];
  };
}

export function cellAt({ count, of }: Cells): (event: number) => number {
  if (of !== null) return (event) => of[event];
  return count === 1 ? () => 0 : (event) => event;
}
