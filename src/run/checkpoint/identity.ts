/** What tells a log from every other: for checkpoints, which belong to one run, and for results. */

import { ByteHash } from '../../files/byte-hash.js';
import type { EventLog } from '../../log/event-log.js';
import type { InputFile } from '../../log/inputs.js';
import type { LogStream } from '../../log/stream.js';
import { type ContentOptions, contentOf } from './log-content.js';
import { ValueHash } from './value-hash.js';

/** Goes through what a log is: its tables, and all of its events. Paths may change. */
export async function addLog<Digest extends ValueHash>(
  fingerprint: Digest,
  stream: LogStream,
  options: ContentOptions,
): Promise<Digest> {
  const { head, events } = stream;
  return fingerprint.add([events, tablesOf(head), stream.identity ?? (await contentOf(stream, options))]);
}

/**
 * A log as results name it: by its files, or, made in code or changed there, by its content.
 *
 * @param isRead it was read from files for this very run.
 */
export async function logInputs(
  stream: LogStream,
  isRead: boolean,
  options: ContentOptions,
): Promise<readonly InputFile[]> {
  const { inputs } = stream.head.source;
  if (inputs !== undefined && (isRead || stream.identity !== undefined)) return inputs;
  const hash = await ByteHash.begin();
  await addLog(new ValueHash((part) => void hash.add(part)), stream, options);
  const content = { path: null, bytes: null, hash: `xxh64:${hash.end().xxh64}` };
  return [{ role: 'log', ...content, ...(inputs === undefined ? {} : { from: inputs }) }];
}

function tablesOf({ firstEvent = 0, arms, payoff, contexts, pools, user, keys, armFeatures, source }: EventLog) {
  return {
    firstEvent,
    arms: arms.ids,
    payoff: [payoff.scale, payoff.maxSteps],
    contexts: [contexts.dimension, contexts.columns, contexts.row === null ? null : contexts.values],
    pools: [pools.count, pools.offsets, pools.arms],
    user: user?.levels ?? null,
    keys: [...keys].map(([name, { levels }]) => [name, levels]),
    armFeatures,
    source: [
      ...[source.format, source.where, source.rows, source.badRows, source.distinctViews ?? null],
      ...(source.thinned === undefined ? [] : [source.thinned]),
      ...(source.estimatedPropensities === undefined ? [] : [source.estimatedPropensities]),
      ...(source.dropRates === undefined ? [] : [source.dropRates]),
    ],
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
