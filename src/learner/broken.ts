/**
 * Numbers of a learner that have left f64: whatever it chose, nothing would say so. A learner knows which of its settings makes
 * them; whose they are and at which event is for whoever runs it (`engine/learner-cpu/replica.ts`, `simulate/online.ts`).
 */

import { InputError } from '../errors.js';
import type { EventLog } from '../log/event-log.js';
import { pathText } from '../options/path-text.js';
import type { SpecPlace } from '../policy/family.js';

/** What is to be changed. */
export interface Blame {
  /** Key of the setting; absent: what the log holds, or several settings. */
  readonly setting?: string;
  readonly needed: string;
  readonly hint: string;
}

export interface Broken extends Blame {
  /** `the score`, `the logarithm of the weight`: what has broken. */
  readonly what: string;
  /** Index of the arm whose it is. */
  readonly arm: number;
  readonly problem: string;
  readonly got: string;
}

export class BrokenNumbers extends InputError {
  constructor(readonly broken: Broken) {
    const { what, arm, problem, got, needed, hint } = broken;
    super({ problem: `${what} of arm index ${arm} ${problem}`, got, needed, hint });
  }
}

/** Of an arm. */
export function noScore(arm: number, score: number, blame: Blame): BrokenNumbers {
  return new BrokenNumbers({
    ...blame,
    ...{ what: 'the score', arm, problem: 'is no finite number', got: String(score) },
  });
}

/** Where a learner runs. */
export interface BrokenAt {
  readonly name: string;
  readonly place: SpecPlace;
  /** Number of the replica; `null`: there is but one. */
  readonly replica: number | null;
  readonly log: Pick<EventLog, 'arms' | 'sourceRow' | 'firstEvent'>;
  /** Index in this log, or batch of one. */
  readonly event: number;
}

/** An error with the learner's name, the path of the setting to be changed, the arm and the event; other errors as they are. */
export function brokenAt(error: unknown, { name, place, replica, log, event }: BrokenAt): unknown {
  if (!(error instanceof BrokenNumbers)) return error;
  const { what, arm, problem, setting, got, needed, hint } = error.broken;
  const row = log.sourceRow === null ? '' : ` (row ${log.sourceRow[event]})`;
  const who = replica === null ? `learner ${name}` : `learner ${name}, replica ${replica}`;
  return new InputError(
    {
      file: place.file,
      path: pathText(place.path, setting === undefined ? [] : [setting]),
      problem: `${who}, event ${(log.firstEvent ?? 0) + event}${row}: ${what} of arm "${log.arms.ids[arm]}" ${problem}`,
      ...{ got, needed, hint },
    },
    { cause: error },
  );
}
