/** Small logs, learners of a name, and choosing from a list of candidates. */

import { Draws } from '#dist/learner/draws.js';
import type { Algorithm, Candidates, Learner } from '#dist/learner/learner.js';
import { algorithmNamed } from '#dist/learner/set/algorithms.js';
import type { EventLog } from '#dist/log/event-log.js';
import { type LogColumns, logFromColumns } from '#dist/log/from-columns/columns.js';
import { STREAM } from '#dist/random/threefry.js';

/** `events` events of K arms with payoffs 0, arm 0 logged; what matters is what the test makes of them. */
export function plainLog(arms: number, events = 50, change: Partial<LogColumns> = {}): EventLog {
  return logFromColumns({
    armIndex: new Uint32Array(events),
    arms,
    payoff: new Float64Array(events),
    ...change,
  });
}

/** The candidate set of these arm indices. */
export function among(...arms: number[]): Candidates {
  return { arms: Uint32Array.from(arms), from: 0, to: arms.length };
}

export function exploration(seed = 7, replica = 0): Draws {
  return new Draws(seed, replica, STREAM.exploration);
}

export function algorithm(name: string): Algorithm {
  const found = algorithmNamed(name);
  if (found === undefined) throw new Error(`no algorithm ${name}`);
  return found;
}

/** A fresh learner with validated parameters. */
export function learner(name: string, parameters: object, log: EventLog, draws = exploration()): Learner {
  const found = algorithm(name);
  const valid = found.schema.parse(parameters);
  found.check?.(valid, log);
  return found.create(valid, log, draws);
}

/** Of scores that are given: there is nothing to change. */
export const NO_BLAME = { needed: 'a finite score', hint: 'another one' };

/** Feeds [arm, payoff] pairs, one per event from event 0 on; payoffs are whole steps. */
export function feed(one: Learner, history: readonly (readonly [arm: number, payoff: number])[]): void {
  history.forEach(([arm, payoff], event) => {
    one.update(event, arm, payoff, payoff);
  });
}
