/**
 * Thinning: a log of any logging policy with propensities becomes a uniform one. Event t is kept where u_t < κ / (|A_t| p_t), u_t
 * uniform in [0, 1) and κ the least of |A_t| p over all arms that could be logged. Of what is kept every candidate is the logged
 * one with probability κ / |A_t|, whatever the event: rejection sampling, once for all policies and learners.
 */

import { filesText, InputError } from '../../errors.js';
import { PropensityCheck } from '../../estimate/weights/propensity-check.js';
import { checkOptions, type OptionShape, option } from '../../options/check-options.js';
import { STREAM, threefry2x32, toUnit } from '../../random/threefry.js';
import { plural } from '../../words.js';
import { GrowingU32 } from '../build/growing.js';
import { f64Column } from '../build/memory.js';
import type { EventLog, LogSource } from '../event-log.js';
import type { LogStream, ReadNeed } from '../stream.js';
import { headOf } from '../stream-of.js';
import { LeastShare } from './least-share.js';
import { eventsPerBatch, PickedTables, pickedStream } from './picked-stream.js';
import { thinningWarnings } from './thinning-warnings.js';

/** How a log is thinned. */
export interface ThinOptions {
  /**
   * κ in (0, 1]: the least of candidates × propensity over all arms that the logging policy could choose, for ε-greedy logging ε.
   * On average this share of the events is kept. Default: the least of the log's events, with a warning, as it depends on the log.
   */
  leastPropensity?: number;
  /** Seed of the draws, a whole number in 0..2³²−1; default 0. */
  thinSeed?: number;
}

/** Every option of a thinning. */
export const THIN_OPTIONS: OptionShape<ThinOptions> = {
  leastPropensity: option.number,
  thinSeed: option.whole(0, 2 ** 32 - 1),
};

/**
 * The log with some of its events, drawn so that they are those of a uniformly random logging policy; their propensities become
 * 1/|A_t|. Whether an event is kept depends on the seed, on its index in the log and on κ / (|A_t| p_t), on nothing else. Arms, levels
 * and the payoff scale stay those of `log`, which is not changed; contexts and candidate sets that no event has any more are left out.
 *
 * @throws InputError where the log has no propensities, or where they contradict κ; for a batch of a longer log; for one that was
 *   thinned before, or whose repeated views count as one.
 */
export function thinLog(log: EventLog, options: ThinOptions = {}): EventLog {
  checkOptions(options, THIN_OPTIONS, 'options');
  checkThinnable(log, options);
  const least = options.leastPropensity ?? new LeastShare().add(log).observed(log.source);
  const thinning = new Thinning(log, log.events, least, options).add(log);
  const { firstEvent: _, ...rest } = thinning.pick(log, thinning.finish(headOf(log)));
  return rest;
}

/**
 * The same of a log that is gone through in batches: once here to draw, and before that, where κ is not declared, to find it. Four bytes
 * are held for each event that is kept.
 *
 * @throws InputError as {@link thinLog}; the signal's reason.
 */
export async function thinStream(
  stream: LogStream,
  options: ThinOptions = {},
  signal?: AbortSignal,
): Promise<LogStream> {
  checkOptions(options, THIN_OPTIONS, 'options');
  const { head, events } = stream;
  checkThinnable(head, options);
  let least = options.leastPropensity;
  if (least === undefined) {
    const shares = new LeastShare();
    for await (const batch of batches(stream, 'count', signal)) shares.add(batch);
    least = shares.observed(head.source);
  }
  const thinning = new Thinning(head, events, least, options);
  for await (const batch of batches(stream, 'all', signal)) thinning.add(batch);
  const thinned = thinning.finish(head);
  return pickedStream(stream, thinned, thinning.tables, thinning.kept, withUniform);
}

/** What to say where a log is to be thinned that does not say how probable its arms were. */
export function noPropensities(files: readonly string[]): InputError {
  return new InputError({
    file: files.length === 0 ? undefined : filesText(files),
    problem: 'thinning goes by propensities, and the log has none',
    needed: 'the probability with which each logged arm was chosen',
    hint: 'name their column with --propensity (propensity in a mapping); a log of uniformly random decisions needs none and no --thin (in code: thin); a part of it that was logged so can be chosen with --where',
  });
}

/** @throws InputError for a κ that there cannot be. */
export function checkLeast(least: number | undefined): void {
  if (least === undefined || (least > 0 && least <= 1)) return;
  throw new InputError({
    problem: 'option leastPropensity is not usable',
    got: String(least),
    needed:
      'the least of candidates × propensity that the logging policy gives any candidate: above 0, and at most 1, which is uniform logging',
  });
}

function checkThinnable({ propensity, firstEvent = 0, source }: EventLog, { leastPropensity }: ThinOptions): void {
  checkLeast(leastPropensity);
  const { files, thinned, distinctViews } = source;
  const file = files.length === 0 ? undefined : filesText(files);
  if (propensity === null) throw noPropensities(files);
  if (thinned !== undefined) {
    throw new InputError({
      file,
      problem: 'the log was thinned before, and is uniform',
      got: `${thinned.kept} of ${plural(thinned.events, 'event')} kept`,
      needed: 'the log as it was, or no thinning',
      hint: 'leave --thin (in code: thin) out',
    });
  }
  if (distinctViews !== undefined) {
    throw new InputError({
      file,
      problem: 'repeated views count as one in this log, so that its propensities are no longer those of its events',
      got: 'arms that are likely come in longer runs, and so less often than their propensity says',
      needed: 'thinning first, then distinct views, as --thin --distinct-views does with the original log',
      hint: 'convert the log without --distinct-views, and give that with --thin; a log of arrays is thinned first (thinLog), then its views are made distinct (distinctViews)',
    });
  }
  if (firstEvent === 0) return;
  throw new InputError({
    file,
    problem: 'a whole log is thinned',
    got: `a batch of one, from event ${firstEvent}`,
    needed: 'the log from its first event on',
  });
}

async function* batches(stream: LogStream, need: ReadNeed, signal: AbortSignal | undefined): AsyncGenerator<EventLog> {
  const most = eventsPerBatch(stream);
  for (let from = 0; from < stream.events; from += most)
    yield await stream.read(from, Math.min(stream.events, from + most), signal, need);
}

/** The events that are kept, found batch by batch. */
class Thinning {
  readonly tables: PickedTables;
  private readonly left = new GrowingU32();
  private readonly shares = new LeastShare();
  private readonly doubts: PropensityCheck;
  private readonly words = new Uint32Array(2);
  private readonly seed: number;
  private readonly declared: boolean;
  private seen = 0;
  private maxSteps = 0;

  /** @param log with its tables; its events do not matter. @param events of all of it. @param least κ. */
  constructor(
    log: EventLog,
    private readonly events: number,
    private readonly least: number,
    { leastPropensity, thinSeed = 0 }: ThinOptions,
  ) {
    this.declared = leastPropensity !== undefined;
    this.seed = thinSeed;
    this.tables = new PickedTables(log);
    // Propensities that are doubted when values are weighted by them are no better for drawing by them.
    this.doubts = new PropensityCheck(log);
  }

  /** Takes the next events. */
  add(log: EventLog): this {
    const { events, propensity, pools, payoff, sourceRow } = log;
    const { least, seed, words, shares } = this;
    if (propensity === null) return this;
    this.doubts.add(log);
    const { offsets, pool } = pools;
    for (let i = 0; i < events; i++) {
      const event = this.seen + i;
      const set = pool === null ? 0 : pool[i];
      const candidates = offsets[set + 1] - offsets[set];
      shares.event(candidates, propensity[i], sourceRow === null ? event : sourceRow[i]);
      threefry2x32(seed, STREAM.thinning, event, 0, words);
      if (toUnit(words[0], words[1]) >= least / (candidates * propensity[i])) continue;
      this.left.push(event);
      this.tables.use(log, i);
      if (payoff.steps[i] > this.maxSteps) this.maxSteps = payoff.steps[i];
    }
    this.seen += events;
    return this;
  }

  /** @param head of the log. @returns that of what is kept. @throws InputError where κ is too large. */
  finish(head: EventLog): EventLog {
    const { left, least, events, declared, seed, shares, maxSteps } = this;
    shares.check(least, head.source);
    const kept = left.length;
    const thinned = { events, kept, leastPropensity: least, declared, seed };
    const warnings = [
      ...(head.source.warnings ?? []),
      ...this.doubts.warnings(),
      ...thinningWarnings(thinned, shares.leastPropensity),
    ];
    const source: LogSource = { ...head.source, thinned, ...(warnings.length === 0 ? {} : { warnings }) };
    const isBeginning = kept === 0 || left.at(kept - 1) === kept - 1;
    return { ...this.tables.head(head, kept, isBeginning), payoff: { ...head.payoff, maxSteps }, source };
  }

  /** Which events these are. */
  get kept() {
    return { events: this.left.length, at: (i: number) => this.left.at(i) };
  }

  /** @param log the whole log. @param head of what is kept. */
  pick(log: EventLog, head: EventLog): EventLog {
    return withUniform(this.tables.pick(log, head, this.left.column()));
  }
}

/** Kept events with the propensities that they have. */
function withUniform(kept: EventLog): EventLog {
  const { offsets, pool } = kept.pools;
  const propensity = f64Column(kept.events);
  for (let i = 0; i < kept.events; i++) {
    const set = pool === null ? 0 : pool[i];
    propensity[i] = 1 / (offsets[set + 1] - offsets[set]);
  }
  return { ...kept, propensity };
}
