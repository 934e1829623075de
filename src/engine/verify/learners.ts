/** Verification of a replay: the CPU computes anew what an engine returned. */

import { z } from 'zod';
import { ArchiveReader, ArchiveWriter } from '../../archive.js';
import { blockEvents } from '../../estimate/blocks/blocks.js';
import { replayKinds } from '../../estimate/estimators/replay-totals.js';
import { type BlockStatistics, emptyBlockStatistics } from '../../estimate/sums/block-statistics.js';
import { contextSizes } from '../../log/context-sizes.js';
import type { EventLog } from '../../log/event-log.js';
import { checkOptions, type OptionShape, option } from '../../options/check-options.js';
import { plural } from '../../words.js';
import type { RunOptions } from '../contract.js';
import type { ReplayBatch, ReplayJob, ReplayOutcome, ReplayTrack, ReplayWork } from '../learner-contract.js';
import { freshLearner, makeTrack } from '../learner-cpu/replica.js';
import { wholeWork } from '../learner-cpu/whole.js';
import { Pauses, Slices } from '../pauses.js';
import { firstDifference } from './compare-statistics.js';
import { replicasToVerify } from './replicas.js';
import { type Disagreement, Walk } from './walk.js';

/** What a verification saw. */
export interface Verification {
  /** Replicas that were checked. */
  replicas: number;
  /** Decisions that were checked. */
  decisions: number;
  /** Decisions that differ from those computed anew … */
  differing: number;
  /** … and those of them by more than the tolerance, or of a learner whose decisions have no tolerance. */
  beyond: number;
  /**
   * Largest score difference of a differing decision, relative to max(1, |largest score|); 0 where none differs. Decisions that
   * no difference of scores explains are counted in `beyond` alone.
   */
  largest: number;
  /** Replicas whose retained events, statistics and counts contradict each other or the rules. */
  broken: number;
  /** Largest relative score difference at which a decision may differ. */
  tolerance: number;
  /** True: every event of the subsample was asked about; false: retained events only. */
  every: boolean;
  /** Nothing broken, nothing beyond the tolerance. */
  passed: boolean;
  /** The first fault in words; `null` where there is none. */
  first: string | null;
}

/** What is verified, and how closely. */
export interface VerifyReplayOptions extends RunOptions {
  /** How many replicas, spread over the settings, or which, by index. Their retained events must have been kept. */
  replicas: number | readonly number[];
  /** Ask about every event of the subsample. Else about retained ones, unless the learner learns from all. */
  every: boolean;
  /** Largest relative score difference at which a decision may differ. */
  tolerance: number;
}

const VERIFY_OPTIONS: OptionShape<VerifyReplayOptions> = {
  replicas: z.union([option.whole(0), z.array(option.whole(0))], {
    error: 'a number of replicas, or a list of their indices',
  }),
  every: option.flag,
  tolerance: option.number,
  bounded: option.flag,
  onProgress: option.call,
  signal: option.signal,
};

/**
 * Walks replicas along the events that an engine retained and compares every decision, and the statistics, with what they
 * must be. A fault does not throw; it is in the answer.
 *
 * @param options progress is in events.
 */
export async function verifyReplay(
  job: ReplayJob,
  outcome: ReplayOutcome,
  options: VerifyReplayOptions,
): Promise<Verification> {
  checkOptions(options, VERIFY_OPTIONS, 'options');
  const { log, plan, rules, settings } = job;
  const verifier = new ReplayVerifier(wholeWork(job), outcome, options);
  await verifier.play({ track: makeTrack(log, plan, rules), settings }, [0, log.events]);
  return verifier.finish();
}

/** One replica under verification. */
interface Checked {
  readonly row: number;
  readonly list: Uint32Array | null;
  readonly stats: BlockStatistics;
  /** Serialized state of its walk after earlier batches; `null`: none yet. */
  carried: Uint8Array | null;
  /** The walk, where the log comes in one batch. */
  walk: Walk | null;
  /** Its first decision beyond the tolerance, in words. */
  first: string | null;
}

/** A verification under way: the log is walked batch by batch, as an engine plays it. */
export class ReplayVerifier {
  private readonly result: Verification;
  private readonly checked: readonly Checked[];

  constructor(
    private readonly work: ReplayWork,
    private readonly outcome: ReplayOutcome,
    private readonly options: VerifyReplayOptions,
  ) {
    const { tolerance, replicas } = options;
    const rows = typeof replicas === 'number' ? replicasToVerify(work, replicas) : replicas;
    // Some learners remember what they decided for when they are told (epoch-greedy explored, or not), so they must be asked.
    const every = options.every || work.rules.learnFrom === 'all';
    this.result = {
      ...{ replicas: rows.length, decisions: 0, differing: 0, beyond: 0, largest: 0, broken: 0 },
      ...{ tolerance, every, passed: true, first: null },
    };
    const blocks = blockEvents(work.blocks);
    const kinds = replayKinds(work.head.payoff);
    this.checked = rows.map((row) => ({
      row,
      list: outcome.retained?.[row] ?? null,
      stats: emptyBlockStatistics(1, blocks, kinds),
      carried: null,
      walk: null,
      first: null,
    }));
  }

  /** As of `ReplaySession`. */
  get catchesUp(): boolean {
    return this.work.rules.updateEvery !== null;
  }

  /** Walks events [from, to) of a batch, which follow those walked last. */
  async play(batch: ReplayBatch, [from, to]: readonly [number, number]): Promise<void> {
    const { options, work } = this;
    const pauses = new Pauses(options);
    options.signal?.throwIfAborted();
    for (const one of this.checked) {
      const walk = this.begin(batch, one, from);
      if (walk === null) continue;
      const slices = new Slices();
      while (!walk.done && !walk.lost && walk.event < to) {
        if (pauses.count(slices.advance(walk, to))) await pauses.yieldToEventLoop();
      }
      pauses.count(Math.max(0, to - walk.event));
      if (walk.first !== null) one.first ??= `${who(work, one.row)}, ${describe(batch.track, walk.first)}`;
      this.end(one, walk);
    }
    pauses.report();
  }

  /** Applies the delayed updates of events of an earlier batch. */
  async learn(batch: ReplayBatch): Promise<void> {
    for (const one of this.checked) {
      const walk = this.begin(batch, one, 0);
      walk?.learnWaiting();
      if (walk !== null) this.end(one, walk);
    }
  }

  private begin({ track, settings }: ReplayBatch, { row, list, stats, carried }: Checked, from: number): Walk | null {
    if (list === null) return null;
    const { replicas } = this.work;
    const { setting, number } = replicas[row];
    const { every, tolerance } = this.result;
    const learner = freshLearner({ ...track, log: madeAnew(track.log) }, settings[setting].create, number);
    const walk = new Walk(track, learner, settings[setting], number, stats, list, { every, tolerance }, from);
    if (carried !== null) walk.carry(new ArchiveReader(carried));
    return walk;
  }

  private end(one: Checked, walk: Walk): void {
    one.walk = walk;
    if (this.work.whole) return;
    walk.endBatch();
    const writer = new ArchiveWriter(one.carried);
    walk.carry(writer);
    one.carried = writer.room;
  }

  finish(): Verification {
    const { work, outcome, result } = this;
    for (const { row, walk, stats, first } of this.checked) {
      const fault =
        walk === null
          ? 'its retained events were not returned'
          : (walk.listFault(work.events) ?? outcomeFault(outcome, row, walk, stats));
      if (walk !== null) add(result, walk);
      result.first ??= first;
      if (fault === null) continue;
      result.broken++;
      result.first ??= `${who(work, row)}: ${fault}`;
    }
    result.passed = result.beyond === 0 && result.broken === 0;
    return result;
  }
}

/**
 * Regressions are made anew in another way: with 106 bits (learner/linear/wide-factors.ts), so that what f64 or a GPU lost shows; and
 * where they were made so, solved afresh with more (learner/linear/fresh-factors.ts).
 */
function madeAnew(log: EventLog): EventLog {
  if (log.contexts.dimension === 0) return log;
  return { ...log, contexts: { ...log.contexts, sizes: { ...contextSizes(log), verifies: true } } };
}

function add(result: Verification, walk: Walk): void {
  result.decisions += walk.decisions;
  result.differing += walk.differing;
  result.beyond += walk.beyond;
  result.largest = Math.max(result.largest, walk.largest);
}

/** Where an outcome is not what its own retained events amount to; `null` where it is. */
function outcomeFault(outcome: ReplayOutcome, row: number, walk: Walk, stats: BlockStatistics): string | null {
  const difference = firstDifference(outcome.stats, row, stats);
  if (difference !== null) {
    const { block, field, got, needed } = difference;
    return `block ${block}, ${field}: ${got}, but its retained events give ${needed}`;
  }
  if (outcome.consumed[row] !== walk.consumed)
    return `${plural(outcome.consumed[row], 'event')} consumed, but its retained events mean ${walk.consumed}`;
  const complete = outcome.complete[row] === 1;
  if (complete !== walk.complete)
    return `called ${complete ? '' : 'in'}complete with ${plural(walk.matches, 'retained event')}`;
  return null;
}

function who({ settings, replicas }: Pick<ReplayJob, 'settings' | 'replicas'>, row: number): string {
  const { setting, number } = replicas[row];
  return `${settings[setting].name}, replica ${number}`;
}

/** `event 517 (row 1034): retained, but computed anew arm "b" is not the choice, by 0.0123`. */
function describe({ log }: Pick<ReplayTrack, 'log'>, { event, retained, margin }: Disagreement): string {
  const t = event - (log.firstEvent ?? 0);
  const by =
    margin === null
      ? ''
      : Number.isFinite(margin)
        ? `, by ${rounded(Math.abs(margin))}`
        : ', and no rounding changes that';
  const arm = `arm "${log.arms.ids[log.arm[t]]}"`;
  return `event ${event}${rowOf(log, t)}: ${
    retained
      ? `retained, but computed anew ${arm} is not the choice`
      : `not retained, but computed anew ${arm} is the choice`
  }${by}`;
}

/** Where events are not numbered as the rows of the files are. */
function rowOf({ sourceRow }: Pick<EventLog, 'sourceRow'>, event: number): string {
  return sourceRow === null ? '' : ` (row ${sourceRow[event]})`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
