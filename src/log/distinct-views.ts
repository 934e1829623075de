/**
 * Distinct views. One user's repeated views of an article are not independent trials (Li, Chu, Langford & Wang, WSDM
 * 2011, where unbiasedness is tested): consecutive events of one user with the same arm count as one event.
 */

import { InputError } from '../errors.js';
import type { ArmFeatureTable, ContextTable, EventLog, KeyColumn, PayoffColumn, PoolTable } from './event-log.js';
import { f32Column, f64Column, u32Column } from './memory.js';

/**
 * The log with every run of views as one event: consecutive events of one user, in the order of the log and whatever
 * other users do between them, with the same arm. Its payoff is the largest of the run (1 if any view was clicked);
 * context, candidates, propensity, time, keys and source row are those of the first view. Arms, levels and the payoff
 * scale stay those of `log`, which is not changed; contexts and candidate sets that no event has any more are left out.
 *
 * @throws InputError where the log has no users, or is a stretch of a longer one.
 */
export function distinctViews(log: EventLog): EventLog {
  const { user } = log;
  if (user === null) throw noUsers(log.source.files);
  if ((log.firstEvent ?? 0) !== 0) {
    throw new InputError({
      problem: 'distinct views are found in a whole log',
      got: `a stretch of one, from event ${log.firstEvent}`,
      needed: 'the log from its first event on',
    });
  }
  // Done twice it changes nothing more: the first log is the one to tell of.
  const source = { ...log.source, distinctViews: log.source.distinctViews ?? { events: log.events } };
  const { first, steps } = views(log, user);
  if (first.length === log.events) return { ...log, source };
  const pools = usedPools(log.pools, log.armFeatures, first);
  return {
    ...log,
    events: first.length,
    arm: pickU32(log.arm, first),
    payoff: payoffs(log.payoff, steps),
    contexts: usedContexts(log.contexts, first),
    pools: pools.table,
    armFeatures: pools.armFeatures,
    propensity: log.propensity === null ? null : pickF64(log.propensity, first),
    time: log.time === null ? null : pickF64(log.time, first),
    user: pickKey(user, first),
    keys: new Map([...log.keys].map(([name, key]) => [name, pickKey(key, first)])),
    sourceRow: log.sourceRow === null ? first : pickU32(log.sourceRow, first),
    source,
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

/** First event of each run, in the order of the log, and the run's largest steps. */
function views({ events, arm, payoff }: EventLog, user: KeyColumn): { first: Uint32Array; steps: Uint32Array } {
  const first = u32Column(events);
  const steps = u32Column(events);
  /** The run that each user is in. */
  const run = new Int32Array(user.levels.length).fill(-1);
  let count = 0;
  for (let t = 0; t < events; t++) {
    const u = user.code[t];
    const r = run[u];
    if (r >= 0 && arm[first[r]] === arm[t]) {
      if (payoff.steps[t] > steps[r]) steps[r] = payoff.steps[t];
      continue;
    }
    first[count] = t;
    steps[count] = payoff.steps[t];
    run[u] = count++;
  }
  return { first: first.subarray(0, count), steps: steps.subarray(0, count) };
}

function payoffs(payoff: PayoffColumn, steps: Uint32Array): PayoffColumn {
  let maxSteps = 0;
  for (const k of steps) if (k > maxSteps) maxSteps = k;
  return { ...payoff, steps, maxSteps };
}

function usedContexts(contexts: ContextTable, first: Uint32Array): ContextTable {
  const { dimension, values, row } = contexts;
  if (dimension === 0) return { ...contexts, rows: first.length };
  if (row === null) return { ...contexts, rows: first.length, values: pickRows(values, dimension, first) };
  const used = renumbered(row, contexts.rows, first);
  return { ...contexts, rows: used.old.length, values: pickRows(values, dimension, used.old), row: used.of };
}

function usedPools(
  pools: PoolTable,
  armFeatures: ArmFeatureTable | null,
  first: Uint32Array,
): { table: PoolTable; armFeatures: ArmFeatureTable | null } {
  if (pools.pool === null) return { table: pools, armFeatures };
  const { old, of } = renumbered(pools.pool, pools.count, first);
  if (old.length === pools.count) return { table: { ...pools, pool: of }, armFeatures };
  const offsets = u32Column(old.length + 1);
  for (let s = 0; s < old.length; s++) offsets[s + 1] = offsets[s] + pools.offsets[old[s] + 1] - pools.offsets[old[s]];
  const gather = (entries: Uint32Array): Uint32Array => {
    const gathered = u32Column(offsets[old.length]);
    for (let s = 0; s < old.length; s++)
      gathered.set(entries.subarray(pools.offsets[old[s]], pools.offsets[old[s] + 1]), offsets[s]);
    return gathered;
  };
  const { allArms } = pools;
  const all = typeof allArms === 'number' ? old.indexOf(allArms) : -1;
  const table = {
    count: old.length,
    offsets,
    arms: gather(pools.arms),
    pool: old.length === 1 ? null : of,
    ...(allArms === undefined ? {} : { allArms: all < 0 ? null : all }),
  };
  const row = armFeatures?.row ?? null;
  return {
    table,
    armFeatures: armFeatures === null || row === null ? armFeatures : { ...armFeatures, row: gather(row) },
  };
}

/** The entries of `column` at `first`, numbered anew by first appearance, and the old number of each new one. */
function renumbered(column: Uint32Array, count: number, first: Uint32Array): { of: Uint32Array; old: Uint32Array } {
  const number = new Int32Array(count).fill(-1);
  const old = u32Column(Math.min(count, first.length));
  const of = u32Column(first.length);
  let used = 0;
  for (let v = 0; v < first.length; v++) {
    const entry = column[first[v]];
    if (number[entry] < 0) {
      number[entry] = used;
      old[used++] = entry;
    }
    of[v] = number[entry];
  }
  return { of, old: old.subarray(0, used) };
}

function pickU32(column: Uint32Array, at: Uint32Array): Uint32Array {
  const picked = u32Column(at.length);
  for (let v = 0; v < at.length; v++) picked[v] = column[at[v]];
  return picked;
}

function pickF64(column: Float64Array, at: Uint32Array): Float64Array {
  const picked = f64Column(at.length);
  for (let v = 0; v < at.length; v++) picked[v] = column[at[v]];
  return picked;
}

function pickKey({ levels, code }: KeyColumn, at: Uint32Array): KeyColumn {
  return { levels, code: pickU32(code, at) };
}

function pickRows(values: ContextTable['values'], dimension: number, at: Uint32Array): ContextTable['values'] {
  const length = at.length * dimension;
  const picked = values instanceof Float32Array ? f32Column(length) : f64Column(length);
  for (let v = 0; v < at.length; v++)
    picked.set(values.subarray(at[v] * dimension, (at[v] + 1) * dimension), v * dimension);
  return picked;
}
