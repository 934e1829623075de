/**
 * Distinct views. One user's repeated views of an article are not independent trials (Li, Chu, Langford & Wang, WSDM
 * 2011, where unbiasedness is tested): consecutive events of one user with the same arm count as one event.
 */

import { InputError } from '../../errors.js';
import type { EventLog } from '../event-log.js';
import type { LogStream } from '../stream.js';
import { headOf } from '../stream-of.js';
import { eventsPerBatch, PickedTables, pickedStream } from './picked-stream.js';
import { ViewRuns } from './view-runs.js';

/**
 * The log with every run of views as one event: consecutive events of one user, in the order of the log and whatever
 * other users do between them, with the same arm. Its payoff is the largest of the run (1 if any view was clicked);
 * context, candidates, propensity, time, keys and source row are those of the first view. Arms, levels and the payoff
 * scale stay those of `log`, which is not changed; contexts and candidate sets that no event has any more are left out.
 *
 * @throws InputError where the log has no users, or is a batch of a longer one.
 */
export function distinctViews(log: EventLog): EventLog {
  const views = new DistinctViews(log);
  views.add(log);
  const { head, events } = views.finish(headOf(log));
  const whole = events === log.events ? log : views.pick(log, head, events);
  const { source } = head;
  const { firstEvent: _, ...rest } = whole;
  return { ...rest, source };
}

/**
 * The same of a log that is gone through in batches: once here, to find the runs. Eight bytes are held for each event
 * that is left.
 *
 * @throws InputError as {@link distinctViews}; the signal's reason.
 */
export async function distinctStream(stream: LogStream, signal?: AbortSignal): Promise<LogStream> {
  const views = new DistinctViews(stream.head);
  const most = eventsPerBatch(stream);
  for (let from = 0; from < stream.events; from += most)
    views.add(await stream.read(from, Math.min(stream.events, from + most), signal));
  const { head, events } = views.finish(stream.head);
  if (events < stream.events)
    return pickedStream(stream, head, views.tables, { events, at: views.at }, (picked, from, to) =>
      views.withPayoffs(picked, from, to),
    );
  const { bytesPerEvent, identity } = stream;
  const read: LogStream['read'] = async (...at) => ({ ...(await stream.read(...at)), source: head.source });
  return { head, events, bytesPerEvent, identity, read, close: () => stream.close() };
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

/** The events of a log that are left, found batch by batch. */
class DistinctViews {
  private readonly runs: ViewRuns;
  readonly tables: PickedTables;
  private events = 0;

  /** @param log with its tables; its events do not matter. */
  constructor(log: EventLog) {
    const { user, firstEvent = 0, source } = log;
    if (user === null) throw noUsers(source.files);
    if (firstEvent !== 0) {
      throw new InputError({
        problem: 'distinct views are found in a whole log',
        got: `a batch of one, from event ${firstEvent}`,
        needed: 'the log from its first event on',
      });
    }
    this.runs = new ViewRuns(user.levels.length);
    this.tables = new PickedTables(log);
  }

  /** Takes the next events. */
  add(log: EventLog): void {
    const { events, user, arm, payoff } = log;
    if (user === null) return;
    for (let i = 0; i < events; i++)
      if (this.runs.view(this.events + i, user.code[i], arm[i], payoff.steps[i])) this.tables.use(log, i);
    this.events += events;
  }

  /** @param head of the log. @returns that of what is left, and how many events these are. */
  finish(head: EventLog): { head: EventLog; events: number } {
    const { count: events, largest: maxSteps } = this.runs;
    // Done twice it changes nothing more: the first log is the one to tell of.
    const source = { ...head.source, distinctViews: head.source.distinctViews ?? { events: this.events } };
    if (events === this.events) return { head: { ...head, source }, events };
    return { head: { ...this.tables.head(head, events, false), payoff: { ...head.payoff, maxSteps }, source }, events };
  }

  /** The event of the log with which a run begins. */
  readonly at = (run: number): number => this.runs.first(run);

  /** Runs [from, to) as events, with what they earned. */
  withPayoffs(picked: EventLog, from: number, to: number): EventLog {
    return { ...picked, payoff: { ...picked.payoff, steps: this.runs.steps(from, to) } };
  }

  /** All runs. @param log the whole log. */
  pick(log: EventLog, head: EventLog, events: number): EventLog {
    return this.withPayoffs(this.tables.pick(log, head, this.runs.firsts(0, events)), 0, events);
  }
}
