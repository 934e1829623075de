/** Collected decisions → the tables of an event log. */

import { totalmem } from 'node:os';
import { InputError } from '../../../errors.js';
import type { ContextTable, EventLog, KeyColumn } from '../../event-log.js';
import { keyColumn } from '../../keys.js';
import { f32Column, f64Column, u32Column } from '../../memory.js';
import { compareCodePoints, listNames, nearestName } from '../../order.js';
import { PayoffPacker } from '../../payoff.js';
import { PoolBuilder } from '../../pool-builder.js';
import { ALL_ARMS, type DecisionCollector } from './collector.js';
import { eachFeature } from './feature-bag.js';
import type { Vocabulary } from './vocabulary.js';

/** The log but for its source. @throws InputError where there are too many columns, or an unknown key. */
export function finishDecisions(collector: DecisionCollector): Omit<EventLog, 'source' | 'sourceRow'> {
  collector.contextColumns.check();
  collector.actionColumns.check();
  const { events } = collector;
  const contexts = contextTable(collector);
  const { arm, built } = armTables(collector);
  return {
    events,
    arms: built.arms,
    arm,
    payoff: payoffColumn(collector),
    contexts,
    pools: built.pools,
    propensity: collector.propensity.column(),
    time: events > 0 && collector.timed === events ? collector.time.column() : null,
    user: null,
    keys: new Map(collector.options.keys.map((name) => [name, lookedUp(collector, name)])),
    armFeatures: built.armFeatures,
  };
}

/** Columns in code-point order of their names; `of[number]` is a feature's column, or −1. */
function columnsOf(vocabulary: Vocabulary, isUsed: readonly boolean[]): { names: string[]; of: Int32Array } {
  const numbers = vocabulary.names.map((_, number) => number).filter((number) => isUsed[number] === true);
  numbers.sort((a, b) => compareCodePoints(vocabulary.names[a], vocabulary.names[b]));
  const of = new Int32Array(vocabulary.names.length).fill(-1);
  for (const [column, number] of numbers.entries()) of[number] = column;
  return { names: numbers.map((number) => vocabulary.names[number]), of };
}

/** Sparse features are dense in a log: say so before the memory runs out. @param copies of the table that exist at once. */
function checkSize(what: string, rows: number, columns: number, copies: number): void {
  const bytes = rows * columns * 8 * copies;
  if (bytes <= totalmem()) return;
  const gib = (size: number) => `${(size / 2 ** 30).toFixed(1)} GiB`;
  throw new InputError({
    problem: `the ${what} features do not fit into memory as columns`,
    got: `${rows.toLocaleString('en')} rows of ${columns.toLocaleString('en')} columns: ${gib(bytes)}`,
    needed: `at most ${gib(totalmem())}`,
    hint: "select columns with --features, e.g. --features 'User^*' (features in code)",
  });
}

function contextTable({ context, contextColumns, contexts, contextOf, events }: DecisionCollector): ContextTable {
  const { names, of } = columnsOf(context.vocabulary, contextColumns.isUsed);
  const dimension = names.length;
  if (dimension === 0) return { dimension, rows: events, values: f32Column(0), row: null, columns: names };
  // Where contexts hardly repeat, a row per event is smaller than rows and a column that points at them.
  const dense = contexts.count * 2 > events;
  const rows = dense ? events : contexts.count;
  checkSize('context', rows, dimension, 1);
  let exact = true;
  for (let c = 0; c < contexts.count && exact; c++) {
    eachFeature(contexts.list(c), 0, (number, value) => {
      if (of[number] >= 0 && Math.fround(value) !== value) exact = false;
    });
  }
  const values = exact ? f32Column(rows * dimension) : f64Column(rows * dimension);
  for (let row = 0; row < rows; row++) {
    eachFeature(contexts.list(dense ? contextOf.at(row) : row), 0, (number, value) => {
      if (of[number] >= 0) values[row * dimension + of[number]] = value;
    });
  }
  return { dimension, rows, values, row: dense ? null : contextOf.column(), columns: names };
}

/** Arms, candidate sets and arm features. */
function armTables(collector: DecisionCollector): { arm: Uint32Array; built: ReturnType<PoolBuilder['finish']> } {
  const { action, actionColumns, versions, pools, armIds, armOf, poolOf, options } = collector;
  const { names, of } = columnsOf(action.vocabulary, actionColumns.isUsed);
  checkSize('action', versions.count, names.length, 2);
  const builder = new PoolBuilder(names);
  // Arms keep the collector's numbers.
  for (const id of armIds) builder.arm(id);
  const values = new Float64Array(names.length);
  const versionOf = new Uint32Array(versions.count);
  for (let v = 0; v < versions.count; v++) {
    values.fill(0);
    const words = versions.list(v);
    eachFeature(words, 1, (number, value) => {
      if (of[number] >= 0) values[of[number]] = value;
    });
    versionOf[v] = builder.version(words[0], values);
  }
  const poolNumber = new Uint32Array(pools.count);
  for (let s = 0; s < pools.count; s++) poolNumber[s] = builder.pool(pools.list(s).map((v) => versionOf[v]));
  let all: number | null = null;
  const allArms = (): number => {
    all ??= builder.pool(
      (options.arms?.map(String) ?? armIds).map((id) => builder.version(builder.arm(id), values.fill(0))),
    );
    return all;
  };
  const pool = u32Column(poolOf.length);
  for (let t = 0; t < pool.length; t++) pool[t] = poolOf.at(t) === ALL_ARMS ? allArms() : poolNumber[poolOf.at(t)];
  // A set that lists all arms is not told from one that is not listed: then both are left alone.
  builder.allArms = all !== null && poolNumber.includes(all) ? undefined : all;
  const built = builder.finish(pool, options.arms);
  const arm = u32Column(armOf.length);
  for (let t = 0; t < arm.length; t++) arm[t] = built.armOf[armOf.at(t)];
  return { arm, built };
}

function payoffColumn(collector: DecisionCollector): EventLog['payoff'] {
  const { cost, events, options } = collector;
  const packer = new PayoffPacker(events);
  for (let t = 0; t < events; t++) packer.push(collector.payoff(cost.at(t)));
  return packer.finish(options.payoffRange);
}

/** A key: what follows `name=` in a feature of the event's context, else the value of its feature `name`, else nothing. */
function lookedUp({ context, contexts, contextOf, events }: DecisionCollector, key: string): KeyColumn {
  const { names } = context.vocabulary;
  const text = names.map((name) => {
    if (name === key) return null;
    return name.startsWith(`${key}=`) ? name.slice(key.length + 1) : undefined;
  });
  if (text.every((value) => value === undefined)) throw unknownKey(key, names);
  const ofContext = Array.from({ length: contexts.count }, (_, c) => {
    let found = '';
    eachFeature(contexts.list(c), 0, (number, value) => {
      const level = text[number];
      if (level !== undefined) found = level ?? String(value);
    });
    return found;
  });
  function* levels(): Generator<string> {
    for (let t = 0; t < events; t++) yield ofContext[contextOf.at(t)];
  }
  return keyColumn(levels(), events);
}

function unknownKey(key: string, names: readonly string[]): InputError {
  const known = [...new Set(names.map((name) => name.split('=')[0]))].slice(0, 1000);
  const near = nearestName(key, known);
  return new InputError({
    problem: `no context feature ${JSON.stringify(key)}, which a policy looks up`,
    needed: known.length === 0 ? 'events with context features' : `one of ${listNames(known)}`,
    hint: near === null ? 'correct the policy set' : `did you mean ${JSON.stringify(near)}?`,
  });
}
