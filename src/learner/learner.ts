/**
 * What a learner is: a history-dependent algorithm that replay feeds with the events it would have chosen itself
 * (Li et al., WSDM 2011, Algorithms 1 and 2). One file per algorithm; one line in `set/entries.ts`.
 */

import type { z } from 'zod';
import type { Archive } from '../archive.js';
import type { EventLog } from '../log/event-log.js';
import type { LogSpan, SpecFiles } from '../policy/family.js';
import type { Draws } from './draws.js';
import type { StateArray } from './state-arrays.js';

/** Candidates of an event: arm indices `arms[from .. to)`, ascending, at least one. */
export interface Candidates {
  /** Arm indices of many candidate sets. */
  readonly arms: Uint32Array;
  /** First entry of this one. */
  readonly from: number;
  /** The entry after its last. */
  readonly to: number;
}

/** How far the arithmetic of one replica can be relied on, at its end. Structured-cloneable. */
export interface Numerics {
  /** Things that were counted, by name; they add up over replicas. */
  readonly counts: Readonly<Record<string, number>>;
  /** Sizes, by name, of which the largest over replicas counts. */
  readonly largest: Readonly<Record<string, number>>;
  /** What a user must be told, and what to do: a whole sentence without the learner's name; `null`: nothing. */
  readonly trouble: string | null;
}

/**
 * The state of one replica. A fresh one is made for every replica; it must not touch the log.
 *
 * Between two updates `choose` is a pure function of event and state: asked twice, it answers the same. An engine may
 * therefore ask for many events ahead, and again after an update.
 */
export interface Learner {
  /** Arm index chosen at event t. */
  choose(event: number, candidates: Candidates): number;
  /**
   * Optional fast path of replay: whether `choose(event, candidates)` would answer `arm`, a member of `candidates`.
   * Always the same answer as asking `choose`, but a learner may stop at the first arm that rules `arm` out.
   */
  matches?(event: number, candidates: Candidates, arm: number): boolean;
  /**
   * Optional, for verification: how far the decision "`choose(event, candidates)` is `arm`" is from flipping. Positive where
   * `arm`, a member of `candidates`, is the choice, negative where it is not, and 0 on the edge of either.
   *
   * The size is the difference between scores that would have to vanish, relative to max(1, |largest score|): with every
   * score wrong by less than half of it the decision stands. ±Infinity where no error of scores could flip it: untried arms
   * that come first, a single candidate. Learners without scores, whose state is integers, have no such method: theirs
   * is one decision on every engine.
   */
  margin?(event: number, candidates: Candidates, arm: number): number;
  /**
   * Learns from an event at which `arm` was shown.
   *
   * @param payoff r_t in payoff units.
   * @param steps r_t in whole steps above the scale's origin, for learners whose state is integers.
   */
  update(event: number, arm: number, payoff: number, steps: number): void;
  /** The final state for people: plain JSON, arms in arm order. */
  state(): Record<string, unknown>;
  /** Optional, for learners whose decisions depend on arithmetic that may fail: how it went. */
  numerics?(): Numerics;
  /**
   * Everything that later answers depend on, exactly: takes it out, or puts it into a fresh learner of the same setting, which
   * then goes on as the first one would have. Needed to replay a log batch by batch, and to go on after an interruption.
   */
  carry?(archive: Archive): void;
}

/** One algorithm of the table. `P` is its validated parameters. */
export interface Algorithm<P extends object = object> {
  readonly name: string;
  /** One line for help texts, the table of learning algorithms and the JSON Schema. */
  readonly summary: string;
  /** Where it comes from: authors, title, year, algorithm number. */
  readonly source: string;
  /** Validates one setting (no lists), with defaults; strict. */
  readonly schema: z.ZodType<P>;
  /**
   * `integer`: decisions follow from integers (or draws) alone, so every engine retains the same events, bit for bit.
   * `real`: state is floating point; near-ties within the tie tolerance may be told apart differently by f32.
   */
  readonly kind: 'integer' | 'real';
  /**
   * True where payoffs are divided by the learner's own probability of the arm (importance weights). Such a learner must
   * learn from events that it chose itself: those of another policy have that policy's probability.
   */
  readonly weighsByOwnChoice?: boolean;
  /** True where it holds contexts against numbers made for the log as it is, such as weights of policies: not to be scaled. */
  asGiven?(parameters: P): boolean;
  /** Key columns of the log that the learner looks up. */
  keyColumns?(parameters: P): readonly string[];
  /**
   * Checks that the log has what the learner needs (contexts, arm features, 0/1 payoffs, a key column).
   *
   * @throws InputError that says what is missing and what to do.
   */
  check?(parameters: P, log: EventLog): void;
  /**
   * Work to be done once per setting before any replica, where it must wait (files, policies to pack).
   *
   * @param files reads files that parameters name; absent: there are none to read.
   * @returns parameters for `create`: the given ones and more, plain data that a worker thread can be sent.
   */
  prepare?(parameters: P, log: EventLog, files?: SpecFiles): Promise<P>;
  /**
   * `prepare` for a log that is gone through batch by batch: what it returns gives the parameters for each. Needed where
   * parameters depend on events or on their number; else the given ones serve every batch.
   */
  open?(parameters: P, span: LogSpan, files?: SpecFiles): Promise<(batch: EventLog) => Promise<P>>;
  /**
   * The arrays of one replica that outgrow arms: by products of context columns, segments and arms. Told before any is made,
   * so that what does not fit the memory is refused.
   *
   * @param log its head suffices.
   * @param least what there is in any case, without a look at the contexts, which takes time.
   */
  arrays?(parameters: P, log: EventLog, least: boolean): readonly StateArray[];
  /**
   * A fresh learner.
   *
   * @param log a log, or a batch of one: `events` are asked about by their index in it.
   */
  create(parameters: P, log: EventLog, draws: Draws): Learner;
}
