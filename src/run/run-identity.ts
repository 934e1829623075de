/** Which run a checkpoint belongs to. */

import type { EventLog } from '../log/event-log.js';
import type { LogStream } from '../log/stream.js';
import type { Fingerprint } from './checkpoint-file.js';

/** Events that are looked at to tell logs with the same tables apart. */
const SAMPLE = 4096;

/** Goes through what a log is: its tables, its number of events, and the first of them. Paths may change. */
export async function addLog(fingerprint: Fingerprint, stream: LogStream): Promise<Fingerprint> {
  const { head, events, identity } = stream;
  fingerprint.add([events, tablesOf(head), ...(identity === undefined ? [] : [identity])]);
  const first = await stream.read(0, Math.min(events, SAMPLE));
  const { arm, payoff, contexts, pools, propensity, time, user, keys, sourceRow } = first;
  const codes = [user?.code, ...[...keys.values()].map(({ code }) => code)];
  // A log in memory gives all of its events where there are few; a table of contexts is known already.
  const rows = contexts.row ?? contexts.values;
  return fingerprint.add([arm, payoff.steps, rows, pools.pool, propensity, time, sourceRow, ...codes]);
}

function tablesOf({ arms, payoff, contexts, pools, user, keys, armFeatures, source }: EventLog) {
  return {
    arms: arms.ids,
    payoff: [payoff.scale, payoff.maxSteps],
    contexts: [contexts.dimension, contexts.columns, contexts.row === null ? null : contexts.values],
    pools: [pools.count, pools.offsets, pools.arms],
    user: user?.levels ?? null,
    keys: [...keys].map(([name, { levels }]) => [name, levels]),
    armFeatures,
    source: [source.format, source.where, source.rows, source.badRows],
  };
}

/** Bytes of what a log's head holds, about. */
export function headBytes({ arms, contexts, pools, user, keys, armFeatures }: EventLog): number {
  const texts = (list: readonly string[]): number => list.reduce((sum, text) => sum + 40 + text.length, 0);
  const levels = [user, ...keys.values()].reduce((sum, key) => sum + texts(key?.levels ?? []), 0);
  const features = (armFeatures?.values.byteLength ?? 0) + (armFeatures?.row?.byteLength ?? 0);
  // Pools are counted twice: the test of uniformity has a count for each of their arms.
  const sets = pools.offsets.byteLength * 3 + pools.arms.byteLength * 3;
  return texts(arms.ids) + levels + features + sets + (contexts.row === null ? 0 : contexts.values.byteLength);
}
