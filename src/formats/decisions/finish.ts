/** Decisions that were kept → the columns and tables of an event log. */

import { atPlace, filesText } from '../../errors.js';
import { isDense } from '../../log/build/contexts.js';
import { keyColumn } from '../../log/build/keys.js';
import { f32Column, f64Column, u32Column } from '../../log/build/memory.js';
import type { ContextTable, EventLog, KeyColumn } from '../../log/event-log.js';
import type { DecisionCollector } from './collector.js';
import type { KeptEvents } from './kept-events.js';
import { KeyLookup } from './key-lookup.js';
import type { CountedSource } from './reading.js';
import { ArmTables, checkSize, columnsOf, fitsF32, writeRow } from './tables.js';

/** @throws InputError where there are too many columns, or an unknown key, or payoffs that no scale takes. */
export function finishDecisions(collector: DecisionCollector, kept: KeptEvents, source: CountedSource): EventLog {
  return atPlace({ file: filesText(source.files) }, () => ({ ...columnsOfLog(collector, kept, source.rows), source }));
}

/** @param rows in the files. */
function columnsOfLog(collector: DecisionCollector, kept: KeptEvents, rows: number): Omit<EventLog, 'source'> {
  collector.contextColumns.check();
  collector.actionColumns.check();
  const { events, timed } = kept;
  const contexts = contextTable(collector, kept);
  const tables = new ArmTables(collector);
  const pool = u32Column(events);
  for (let t = 0; t < events; t++) pool[t] = tables.pool(kept.poolOf.at(t));
  const built = tables.finish(pool);
  const arm = u32Column(events);
  for (let t = 0; t < events; t++) arm[t] = built.armOf[kept.armOf.at(t)];
  return {
    events,
    arms: built.arms,
    arm,
    payoff: kept.payoffs(collector.options.payoffRange),
    contexts,
    pools: built.pools,
    propensity: kept.propensity.column(),
    time: events > 0 && timed === events ? kept.time.column() : null,
    user: null,
    keys: new Map(collector.options.keys.map((name) => [name, lookedUp(collector, kept, name)])),
    armFeatures: built.armFeatures,
    sourceRow: events === rows ? null : kept.rowOf.column(),
  };
}

function contextTable(
  { context, contextColumns }: DecisionCollector,
  { contexts, contextOf, events }: KeptEvents,
): ContextTable {
  const columns = columnsOf(context.vocabulary, contextColumns.isUsed);
  const { names } = columns;
  const dimension = names.length;
  if (dimension === 0) return { dimension, rows: events, values: f32Column(0), row: null, columns: names };
  // Where contexts hardly repeat, a row per event is smaller than rows and a column that points at them.
  const dense = isDense(contexts.count, events);
  const rows = dense ? events : contexts.count;
  checkSize('context', rows, dimension, 1);
  let exact = true;
  for (let c = 0; c < contexts.count && exact; c++) exact = fitsF32(context.vocabulary, contexts.list(c));
  const values = exact ? f32Column(rows * dimension) : f64Column(rows * dimension);
  for (let row = 0; row < rows; row++) writeRow(columns, contexts.list(dense ? contextOf.at(row) : row), values, row);
  return { dimension, rows, values, row: dense ? null : contextOf.column(), columns: names };
}

function lookedUp({ context }: DecisionCollector, { contexts, contextOf, events }: KeptEvents, key: string): KeyColumn {
  const lookup = new KeyLookup(key, context.vocabulary.names);
  lookup.check();
  const ofContext = Array.from({ length: contexts.count }, (_, c) => lookup.of(contexts.list(c)));
  function* levels(): Generator<string> {
    for (let t = 0; t < events; t++) yield ofContext[contextOf.at(t)];
  }
  return keyColumn(levels(), events);
}
