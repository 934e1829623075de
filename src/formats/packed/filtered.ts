/** The events of a packed log that a filter lets through. */

import { atPlace, filesText, InputError } from '../../errors.js';
import { totalPayoff } from '../../estimate/sums/payoff-scale.js';
import { openDatabase } from '../../files/duckdb.js';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { GrowingU32 } from '../../log/build/growing.js';
import { ScaleFinder, stepCounter } from '../../log/build/scale-finder.js';
import { sourceWarnings } from '../../log/checks/dropped-warnings.js';
import type { EventLog, PayoffColumn } from '../../log/event-log.js';
import type { ColumnUse } from '../../log/inputs.js';
import type { LogStream } from '../../log/stream.js';
import { eventsPerBatch, PickedTables, pickedStream } from '../../log/views/picked-stream.js';
import { parseFilter, removedArms } from '../table/read/where.js';
import { EventFilter } from './event-filter.js';

/**
 * What a filter leaves of a packed log, as it leaves it of the original: arms and levels stay those of all events, the scale of
 * payoffs becomes that of what is left. The log is gone through once; four bytes are held for each event that is left.
 *
 * @throws InputError for a filter that does not fit the log's columns; the signal's reason.
 */
export async function filteredStream(
  stream: LogStream,
  where: string,
  file: string,
  signal?: AbortSignal,
): Promise<LogStream> {
  if ((stream.head.firstEvent ?? 0) !== 0) {
    throw new InputError({
      file,
      problem: 'a filter chooses among the events of a whole log',
      got: `a batch of one, from event ${stream.head.firstEvent}`,
      needed: 'the log from its first event on',
    });
  }
  const folder = await temporaryFolder();
  const database = await openDatabase(folder.path);
  try {
    const parsed = await parseFilter(database, where);
    return await filtered(stream, await EventFilter.open(database, parsed, stream.head, file), where, signal);
  } finally {
    database.close();
    await folder.remove();
  }
}

async function filtered(
  stream: LogStream,
  filter: EventFilter,
  where: string,
  signal: AbortSignal | undefined,
): Promise<LogStream> {
  const { head: all } = stream;
  const left = new GrowingU32();
  const tables = new PickedTables(all);
  const payoffs = new LeftPayoffs(all.payoff);
  // Of each arm, 1: an event has it; 3: one that is left.
  const arms = new Uint8Array(all.arms.ids.length);
  const most = eventsPerBatch(stream);
  for (let from = 0; from < stream.events; from += most) {
    const log = await stream.read(from, Math.min(stream.events, from + most), signal);
    const chosen = await filter.choose(log);
    for (let i = 0; i < log.events; i++) {
      arms[log.arm[i]] |= 1;
      if (chosen[i] === 0) continue;
      arms[log.arm[i]] = 3;
      left.push(from + i);
      tables.use(log, i);
      payoffs.add(log.payoff.steps[i]);
    }
  }
  filter.finish();
  const events = left.length;
  const isBeginning = events === 0 || left.at(events - 1) === events - 1;
  const { payoff, recode } = atPlace({ file: filesText(all.source.files) }, () => payoffs.finish());
  const { source } = all;
  const warnings = [
    ...(source.warnings ?? []),
    ...removedArms(where, all.arms.ids, (a) => arms[a] === 1),
    ...(source.distinctViews === undefined ? [] : [AFTER_VIEWS]),
  ];
  const head: EventLog = {
    ...tables.head(all, events, isBeginning),
    payoff,
    source: {
      ...source,
      ...(source.uses === undefined ? {} : { uses: source.uses.map((use) => withFilter(use, filter)) }),
      where: source.where === null ? where : `(${source.where}) AND (${where})`,
      ...sourceWarnings(warnings),
    },
  };
  return pickedStream(stream, head, tables, { events, at: (i) => left.at(i) }, recode);
}

/** A column of the log, and that the filter looks at it where it does. */
function withFilter(use: ColumnUse, filter: EventFilter): ColumnUse {
  if (use.roles.includes('filter') || !filter.looksAt(use)) return use;
  const { name, encode } = use;
  return { name, roles: [...use.roles, 'filter'], ...(encode === undefined ? {} : { encode }) };
}

const AFTER_VIEWS =
  'repeated views counted as one before the filter, when the log was converted; of the original log, the filter comes first';

/** The payoffs that are left, on the scale that they have. */
class LeftPayoffs {
  private readonly finder = new ScaleFinder();
  private largest = 0;

  constructor(private readonly all: PayoffColumn) {}

  add(steps: number): void {
    const { scale } = this.all;
    if (steps > this.largest) this.largest = steps;
    if (!scale.rounded) this.finder.push(totalPayoff(scale, 1, steps));
  }

  finish(): { payoff: PayoffColumn; recode(log: EventLog): EventLog } {
    const { all } = this;
    const { scale: before, rangeBasis } = all;
    // Payoffs that were rounded are gone.
    if (before.rounded) return { payoff: { ...all, maxSteps: this.largest }, recode: (log) => log };
    const isGiven = rangeBasis !== 'unit' && rangeBasis !== 'observed';
    const { scale, basis, maxSteps } = this.finder.finish(isGiven ? [before.low, before.high] : undefined);
    const payoff = { ...all, scale, maxSteps, ...(isGiven ? {} : { rangeBasis: basis }) };
    const stepsOf = stepCounter(scale);
    return {
      payoff,
      recode: (log) => {
        const { steps } = log.payoff;
        for (let i = 0; i < steps.length; i++) steps[i] = stepsOf(totalPayoff(before, 1, steps[i]));
        return { ...log, payoff: { ...payoff, steps } };
      },
    };
  }
}
