/** Learners written in code: an object that makes learners with `choose` and `update`. They run on the CPU engine. */

import type { EventLog } from '../log/event-log.js';
import type { SpecPlace } from '../policy/family.js';
import { shown, specFault, strict } from '../policy/spec-faults.js';
import type { Draws } from './draws.js';
import type { Algorithm, Learner } from './learner.js';

/** A learner of your own, as an entry of a learner set. */
export interface CustomLearner {
  /** Name of the learner in results. */
  readonly name: string;
  /** Key columns of the log that the learner looks up. */
  readonly keyColumns?: readonly string[];
  /**
   * A fresh learner for each replica. `state` may be left out, and `carry` where logs are in memory.
   *
   * @param draws random numbers of the replica, by event: `draws.unit(event, number)`.
   */
  create(log: EventLog, draws: Draws): Omit<Learner, 'state'> & Partial<Pick<Learner, 'state'>>;
}

/** True for entries that are meant as learners of one's own. */
export function isCustom(entry: object): entry is CustomLearner {
  return 'create' in entry;
}

/** @throws InputError for a name, a function or an object that is none. */
export function customAlgorithm(entry: CustomLearner, place: SpecPlace): Algorithm {
  const { name, keyColumns = [] } = entry;
  if (typeof name !== 'string' || name === '') {
    throw specFault(place, ['name'], { problem: 'a learner from code needs a name', got: shown(name) });
  }
  if (typeof entry.create !== 'function') {
    const needed = 'a function of log and draws that returns { choose, update }';
    throw specFault(place, ['create'], { problem: 'not a function', got: shown(entry.create), needed });
  }
  return {
    name,
    summary: 'from code',
    source: 'from code',
    schema: strict({}),
    kind: 'real',
    keyColumns: () => keyColumns,
    create: (_parameters, log, draws) => withState(entry.create(log, draws), name, place),
  };
}

function withState(made: ReturnType<CustomLearner['create']>, name: string, place: SpecPlace): Learner {
  const learner: Partial<Learner> | null | undefined = made;
  if (typeof learner?.choose !== 'function' || typeof learner.update !== 'function') {
    const problem = `create() of "${name}" returned no learner`;
    throw specFault(place, ['create'], { problem, got: shown(made), needed: 'an object with choose and update' });
  }
  if (typeof learner.state === 'function') return learner as Learner;
  const whole: Learner = {
    choose: (event, candidates) => made.choose(event, candidates),
    update: (event, arm, payoff, steps) => made.update(event, arm, payoff, steps),
    state: () => ({}),
  };
  if (made.matches !== undefined)
    whole.matches = (event, candidates, arm) => made.matches?.(event, candidates, arm) === true;
  const { margin } = made;
  if (margin !== undefined) whole.margin = (event, candidates, arm) => margin.call(made, event, candidates, arm);
  const { carry } = made;
  if (carry !== undefined) whole.carry = (archive) => carry.call(made, archive);
  const { numerics } = made;
  if (numerics !== undefined) whole.numerics = () => numerics.call(made);
  return whole;
}
