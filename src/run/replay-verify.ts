/** Verification of a replay: the CPU proves, in f64, what an engine returned. */

import { type BlockStatistics, emptyBlockStatistics } from '../estimate/block-statistics.js';
import { blockEvents } from '../estimate/blocks.js';
import type { EventLog } from '../log/event-log.js';
import type { RunOptions } from './backend.js';
import { firstDifference } from './compare-statistics.js';
import { Pauses } from './pauses.js';
import type { ReplayJob, ReplayOutcome } from './replay-backend.js';
import { freshLearner, makeTrack, type ReplayTrack } from './replay-replica.js';
import { replicasToVerify } from './replay-verify-choice.js';
import { type Disagreement, Walk } from './replay-walk.js';

/** What a verification saw. */
export interface Verification {
  /** Replicas that were checked. */
  replicas: number;
  /** Decisions that were checked. */
  decisions: number;
  /** Decisions that differ from those in f64 … */
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
  tolerance: number;
  /** True: every event of the subsample was asked about; false: retained events only. */
  every: boolean;
  /** Nothing broken, nothing beyond the tolerance. */
  passed: boolean;
  /** The first fault in words; `null` where there is none. */
  first: string | null;
}

export interface VerifyReplayOptions extends RunOptions {
  /** How many replicas, spread over the settings, or which, by index. Their retained events must have been kept. */
  replicas: number | readonly number[];
  /** Ask about every event of the subsample. Else about retained ones, unless the learner learns from all. */
  every: boolean;
  /** Largest relative score difference at which a decision may differ. */
  tolerance: number;
}

/** Events between two looks at the clock. */
const SLICE = 256;

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
  const { log, plan, rules, settings } = job;
  const { tolerance, replicas } = options;
  const rows = typeof replicas === 'number' ? replicasToVerify(job, replicas) : replicas;
  // Some learners remember what they decided for when they are told (epoch-greedy explored, or not), so they must be asked.
  const every = options.every || rules.learnFrom === 'all';
  const result: Verification = {
    ...{ replicas: rows.length, decisions: 0, differing: 0, beyond: 0, largest: 0, broken: 0 },
    ...{ tolerance, every, passed: true, first: null },
  };
  const track = makeTrack(log, plan, rules);
  const blocks = blockEvents(plan);
  const pauses = new Pauses(options);
  options.signal?.throwIfAborted();
  for (const row of rows) {
    const { setting, number } = job.replicas[row];
    const list = outcome.retained?.[row] ?? null;
    let fault: string | null = 'its retained events were not returned';
    if (list !== null) {
      const stats = emptyBlockStatistics(1, blocks, log.payoff.maxSteps <= 1);
      const learner = freshLearner(track, settings[setting].create, number);
      const walk = new Walk(track, learner, number, stats, list, { every, tolerance });
      while (!walk.done && !walk.lost) {
        const from = walk.event;
        walk.advance(from + SLICE);
        if (pauses.count(walk.event - from)) await pauses.giveWay();
      }
      pauses.count(log.events - walk.event);
      fault = walk.listFault() ?? outcomeFault(outcome, row, walk, stats);
      add(result, walk);
      if (walk.first !== null) result.first ??= `${who(job, row)}, ${describe(track, walk.first)}`;
    }
    if (fault !== null) {
      result.broken++;
      result.first ??= `${who(job, row)}: ${fault}`;
    }
  }
  pauses.report();
  result.passed = result.beyond === 0 && result.broken === 0;
  return result;
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
    return `${outcome.consumed[row]} events consumed, but its retained events mean ${walk.consumed}`;
  const complete = outcome.complete[row] === 1;
  if (complete !== walk.complete) return `called ${complete ? '' : 'in'}complete with ${walk.matches} retained events`;
  return null;
}

function who({ settings, replicas }: ReplayJob, row: number): string {
  const { setting, number } = replicas[row];
  return `${settings[setting].name}, replica ${number}`;
}

/** `event 517 (row 1034): retained, but in f64 arm "b" is not the choice, by 0.0123`. */
function describe({ log }: Pick<ReplayTrack, 'log'>, { event, retained, margin }: Disagreement): string {
  const by =
    margin === null
      ? ''
      : Number.isFinite(margin)
        ? `, by ${rounded(Math.abs(margin))}`
        : ', and no rounding changes that';
  const arm = `arm "${log.arms.ids[log.arm[event]]}"`;
  return `event ${event}${rowOf(log, event)}: ${
    retained ? `retained, but in f64 ${arm} is not the choice` : `not retained, but in f64 ${arm} is the choice`
  }${by}`;
}

/** Where events are not numbered as the rows of the files are. */
function rowOf({ sourceRow }: Pick<EventLog, 'sourceRow'>, event: number): string {
  return sourceRow === null ? '' : ` (row ${sourceRow[event]})`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
