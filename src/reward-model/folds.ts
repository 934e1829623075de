/**
 * Folds for cross-fitting: the events of a fold are predicted by what was fitted to all others. Events that share a user (or a day)
 * share a fold, so that what makes their payoffs alike is not learned from one and used on the other.
 *
 * Chernozhukov et al.: Double/debiased machine learning for treatment and structural parameters. Econometrics Journal 21 (2018).
 */

import type { Archive } from '../archive.js';
import { InputError } from '../errors.js';
import { userHashes } from '../estimate/blocks/user-hash.js';
import type { EventLog } from '../log/event-log.js';
import { plural } from '../words.js';

export const FOLD_BY = ['event', 'user', 'day'] as const;

export type FoldBy = (typeof FOLD_BY)[number];

export const DEFAULT_FOLDS = 5;
export const MOST_FOLDS = 1000;

const DAY = 86_400_000;

/**
 * Fold of every event, of F: by `event` its index in the log mod F, by `user` ⌊hash(user) · F / 2³²⌋, by `day` the number of its UTC
 * day since 1970-01-01 mod F.
 */
export class Folds {
  readonly by: FoldBy;
  /** Events of each fold so far. */
  readonly sizes: Float64Array;
  private readonly ofUser: Uint32Array | null;

  /**
   * @param count F ≥ 1; 1: no cross-fitting.
   * @param by default: `user` where the log names users, else `event`.
   * @throws InputError where the log has no such column.
   */
  constructor(
    head: EventLog,
    readonly count: number,
    by: FoldBy = head.user === null ? 'event' : 'user',
  ) {
    this.by = by;
    this.sizes = new Float64Array(count);
    if (by === 'user' && head.user === null) throw without('users', 'user');
    if (by === 'day' && head.time === null) throw without('times', 'time');
    this.ofUser =
      by === 'user' && count > 1
        ? userHashes(head.user?.levels ?? []).map((hash) => Math.floor((hash * count) / 2 ** 32))
        : null;
  }

  /** Fold of each event of a batch, [L]. @throws InputError for a time that is no number. */
  of({ events, firstEvent = 0, user, time }: EventLog): Uint32Array {
    const { count, by, ofUser } = this;
    const fold = new Uint32Array(events);
    if (count === 1) return fold;
    if (ofUser !== null) {
      const code = user?.code ?? fold;
      for (let t = 0; t < events; t++) fold[t] = ofUser[code[t]];
    } else if (by === 'day') {
      for (let t = 0; t < events; t++) {
        const day = Math.floor((time?.[t] ?? Number.NaN) / DAY);
        if (!Number.isFinite(day)) throw noDay(firstEvent + t, time?.[t]);
        fold[t] = ((day % count) + count) % count;
      }
    } else {
      for (let t = 0, at = firstEvent % count; t < events; t++, at = at + 1 === count ? 0 : at + 1) fold[t] = at;
    }
    return fold;
  }

  /** As `of`, and counts the events. */
  add(batch: EventLog): Uint32Array {
    const fold = this.of(batch);
    for (let t = 0; t < fold.length; t++) this.sizes[fold[t]]++;
    return fold;
  }

  /** When all events are counted. @throws InputError where all of several are of one fold: nothing is left to fit them to. */
  check(): void {
    const { count, by, sizes } = this;
    const events = sizes.reduce((sum, size) => sum + size, 0);
    if (count === 1 || events < 2 || sizes.every((size) => size < events)) return;
    throw new InputError({
      problem: `folds by ${by} leave nothing to fit a reward model to`,
      got: `${plural(events, 'event')}, all in one of ${plural(count, 'fold')}`,
      needed: 'events in two folds at least',
      hint: '--fold-by event (in code: foldBy), or another number of --folds (in code: folds)',
    });
  }

  /** Of the result. */
  get description(): { count: number; by: FoldBy } {
    return { count: this.count, by: this.by };
  }

  carry(archive: Archive): void {
    archive.array(this.sizes);
  }
}

/** What to say of a model that has seen the payoffs it is to predict. */
export function notCrossFitted(): string {
  return 'the reward model was fitted to all events, also to those that it predicts (folds 1), so that it knows payoffs before they are compared with its predictions: corrections are too small, and dr, dr-clip, switch-dr, dros and sndr lean towards dm';
}

function without(what: string, role: string): InputError {
  return new InputError({
    problem: `folds cannot be made by ${role === 'time' ? 'day' : role}: the log has no ${what}`,
    needed: `a column of ${what} ("${role}" of the mapping)`,
    hint: '--fold-by event (in code: foldBy)',
  });
}

function noDay(event: number, time: number | undefined): InputError {
  return new InputError({
    row: event,
    problem: 'time is no number, so the event has no day',
    got: String(time),
    needed: 'milliseconds since 1970-01-01 UTC',
    hint: '--fold-by event (in code: foldBy)',
  });
}
