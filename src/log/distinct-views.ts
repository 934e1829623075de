/**
 * Distinct views. One user's repeated views of an article are not independent trials (Li, Chu, Langford & Wang, WSDM
 * 2011, where unbiasedness is tested): consecutive events of one user with the same arm count as one event.
 */

import { InputError } from '../errors.js';
import type { EventLog } from './event-log.js';
import { pickEvents } from './pick.js';
import type { LogStream } from './stream.js';
import { checkStretch, headOf } from './stream-of.js';
import { UsedEntries, usedContexts, usedPools } from './used-entries.js';
import { ViewRuns } from './view-runs.js';

/**
 * The log with every run of views as one event: consecutive events of one user, in the order of the log and whatever
 * other users do between them, with the same arm. Its payoff is the largest of the run (1 if any view was clicked);
 * context, candidates, propensity, time, keys and source row are those of the first view. Arms, levels and the payoff
 * scale stay those of `log`, which is not changed; contexts and candidate sets that no event has any more are left out.
 *
 * @throws InputError where the log has no users, or is a stretch of a longer one.
 */
export function distinctViews(log: EventLog): EventLog {
  const views = new DistinctViews(log);
  views.add(log);
  const { head, events } = views.finish(headOf(log));
  const whole = events === log.events ? log : views.pick(log, head, 0, events);
  const { source } = head;
  const { firstEvent: _, ...rest } = whole;
  return { ...rest, source };
}

/** Events of a stretch at the first look. */
const STRETCH = 1 << 16;

/**
 * The same of a log that is gone through in stretches: once here, to find the runs. Eight bytes are held for each event
 * that is left.
 *
 * @throws InputError as {@link distinctViews}; the signal's reason.
 */
export async function distinctStream(stream: LogStream, signal?: AbortSignal): Promise<LogStream> {
  const views = new DistinctViews(stream.head);
  for (let from = 0; from < stream.events; from += STRETCH)
    views.add(await stream.read(from, Math.min(stream.events, from + STRETCH), signal));
  const { head, events } = views.finish(stream.head);
  const { identity } = stream;
  const close = () => stream.close();
  if (events === stream.events) {
    const { bytesPerEvent } = stream;
    const read: LogStream['read'] = async (...at) => ({ ...(await stream.read(...at)), source: head.source });
    return { head, events, bytesPerEvent, identity, read, close };
  }
  return {
    head,
    events,
    // A stretch of the log is read for those of its events that are left.
    bytesPerEvent: stream.bytesPerEvent * (1 + stream.events / Math.max(1, events)),
    identity,
    async read(from, to, signal) {
      signal?.throwIfAborted();
      checkStretch(from, to, events);
      const base = from === to ? await stream.read(0, 0, signal) : await stream.read(...views.span(from, to), signal);
      return { ...views.pick(base, head, from, to), firstEvent: from };
    },
    close,
  };
}

/** What to say where distinct views are asked for and nothing names the users. */
export function noUsers(files: readonly string[]): InputError {
  return new InputError({
    file: files.length === 0 ? undefined : files.join(', '),
    problem: 'distinct views are those of one user, and the log has no users',
    needed: 'a column of the user',
    hint: 'name it with --user (user in a mapping), or leave the views as they are',
  });
}

/** The events of a log that are left, found stretch by stretch. */
class DistinctViews {
  private readonly runs: ViewRuns;
  private readonly contexts: UsedEntries | null;
  private readonly pools: UsedEntries | null;
  private events = 0;

  /** @param log with its tables; its events do not matter. */
  constructor({ user, firstEvent = 0, contexts, pools, source }: EventLog) {
    if (user === null) throw noUsers(source.files);
    if (firstEvent !== 0) {
      throw new InputError({
        problem: 'distinct views are found in a whole log',
        got: `a stretch of one, from event ${firstEvent}`,
        needed: 'the log from its first event on',
      });
    }
    this.runs = new ViewRuns(user.levels.length);
    this.contexts = contexts.row === null ? null : new UsedEntries(contexts.rows);
    this.pools = pools.pool === null ? null : new UsedEntries(pools.count);
  }

  /** Takes the next events. */
  add({ events, user, arm, payoff, contexts, pools }: EventLog): void {
    const { runs } = this;
    if (user === null) return;
    for (let i = 0; i < events; i++) {
      if (!runs.view(this.events + i, user.code[i], arm[i], payoff.steps[i])) continue;
      if (contexts.row !== null) this.contexts?.use(contexts.row[i]);
      if (pools.pool !== null) this.pools?.use(pools.pool[i]);
    }
    this.events += events;
  }

  /** @param head of the log. @returns that of what is left, and how many events these are. */
  finish(head: EventLog): { head: EventLog; events: number } {
    const { runs, contexts, pools } = this;
    // Done twice it changes nothing more: the first log is the one to tell of.
    const source = { ...head.source, distinctViews: head.source.distinctViews ?? { events: this.events } };
    if (runs.count === this.events) return { head: { ...head, source }, events: runs.count };
    const left = pools === null ? head : { ...head, ...usedPools(head.pools, head.armFeatures, pools) };
    return {
      head: {
        ...left,
        contexts: contexts === null ? head.contexts : usedContexts(head.contexts, contexts),
        payoff: { ...head.payoff, maxSteps: runs.largest },
        sourceRow: head.sourceRow ?? new Uint32Array(0),
        source,
      },
      events: runs.count,
    };
  }

  /** The events of the log among which runs [from, to) begin, from < to. */
  span(from: number, to: number): [from: number, to: number] {
    return [this.runs.first(from), this.runs.first(to - 1) + 1];
  }

  /** Runs [from, to) as events. @param base events of the log from the first of these runs on. */
  pick(base: EventLog, head: EventLog, from: number, to: number): EventLog {
    const { runs } = this;
    const start = base.firstEvent ?? 0;
    const picked = pickEvents(
      base,
      Uint32Array.from({ length: to - from }, (_, i) => runs.first(from + i) - start),
    );
    const { pool } = picked.pools;
    if (pool !== null) this.pools?.renumber(pool);
    if (picked.contexts.row !== null) this.contexts?.renumber(picked.contexts.row);
    const contexts = picked.contexts.row === null ? picked.contexts : { ...head.contexts, row: picked.contexts.row };
    return {
      ...picked,
      payoff: { ...head.payoff, steps: runs.steps(from, to) },
      contexts,
      pools: { ...head.pools, pool: head.pools.pool === null ? null : pool },
      armFeatures: head.armFeatures,
      sourceRow: picked.sourceRow ?? runs.firsts(from, to),
      source: head.source,
    };
  }
}
