/** Some of a log's events, in their order. */

import { f32Column, f64Column, u32Column } from '../build/memory.js';
import type { ContextTable, EventLog, KeyColumn } from '../event-log.js';

/**
 * The columns of a log at events `at`, with its tables as they are: `pools.pool` and `contexts.row` keep their numbers.
 *
 * @param at indices of events, ascending.
 */
export function pickEvents(log: EventLog, at: Uint32Array): EventLog {
  const { arm, payoff, contexts, pools, propensity, time, user, keys, sourceRow } = log;
  return {
    ...log,
    events: at.length,
    arm: pickU32(arm, at),
    payoff: { ...payoff, steps: pickU32(payoff.steps, at) },
    contexts: pickContexts(contexts, at),
    pools: pools.pool === null ? pools : { ...pools, pool: pickU32(pools.pool, at) },
    propensity: propensity === null ? null : pickF64(propensity, at),
    time: time === null ? null : pickF64(time, at),
    user: user === null ? null : pickKey(user, at),
    keys: new Map([...keys].map(([name, key]) => [name, pickKey(key, at)])),
    sourceRow: sourceRow === null ? null : pickU32(sourceRow, at),
  };
}

function pickContexts(contexts: ContextTable, at: Uint32Array): ContextTable {
  const { dimension, values, row } = contexts;
  if (row !== null) return { ...contexts, row: pickU32(row, at) };
  return { ...contexts, rows: at.length, values: pickRows(values, dimension, at) };
}

function pickU32(column: Uint32Array, at: Uint32Array): Uint32Array {
  const picked = u32Column(at.length);
  for (let i = 0; i < at.length; i++) picked[i] = column[at[i]];
  return picked;
}

function pickF64(column: Float64Array, at: Uint32Array): Float64Array {
  const picked = f64Column(at.length);
  for (let i = 0; i < at.length; i++) picked[i] = column[at[i]];
  return picked;
}

function pickKey({ levels, code }: KeyColumn, at: Uint32Array): KeyColumn {
  return { levels, code: pickU32(code, at) };
}

/** Rows `at` of a table of `dimension` columns. */
export function pickRows(values: ContextTable['values'], dimension: number, at: Uint32Array): ContextTable['values'] {
  const length = at.length * dimension;
  const picked = values instanceof Float32Array ? f32Column(length) : f64Column(length);
  for (let i = 0; i < at.length; i++)
    picked.set(values.subarray(at[i] * dimension, (at[i] + 1) * dimension), i * dimension);
  return picked;
}
