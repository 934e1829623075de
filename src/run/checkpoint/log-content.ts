/** A digest of all events of a log, column by column, so that it does not depend on the batches they come in. */

import { batches } from '../../engine/batches.js';
import { ByteHash } from '../../files/byte-hash.js';
import type { EventLog } from '../../log/event-log.js';
import type { LogStream } from '../../log/stream.js';

/** Bytes of a batch, about: small beside what a run takes. */
const BATCH_BYTES = 2 ** 24;

export interface ContentOptions {
  /** Memory is bounded. */
  readonly bounded: boolean;
  readonly signal?: AbortSignal;
}

/**
 * XXH64 of every column of the log's events, by the column's name. Tables that events refer to are not in it.
 *
 * @throws what the stream throws; the signal's reason where it is aborted.
 */
export async function contentOf(stream: LogStream, { bounded, signal }: ContentOptions): Promise<[string, string][]> {
  const hashes = new Map<string, ByteHash>();
  const size = Math.max(1, Math.floor(BATCH_BYTES / Math.max(1, stream.bytesPerEvent)));
  for await (const batch of batches(stream, size, { bounded, signal })) {
    for (const [name, column] of columnsOf(batch)) {
      let hash = hashes.get(name);
      if (hash === undefined) {
        hash = await ByteHash.begin();
        hashes.set(name, hash);
      }
      hash.add(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
    }
  }
  return [...hashes].map(([name, hash]) => [name, hash.end().xxh64]);
}

/** Everything that an event is, by names that no two columns share. */
function columnsOf({ arm, payoff, contexts, pools, propensity, time, user, keys, sourceRow }: EventLog) {
  const { row, values } = contexts;
  const columns: [string, Uint32Array | Float32Array | Float64Array | null | undefined][] = [
    ['arm', arm],
    ['payoff', payoff.steps],
    ['context row', row],
    [values instanceof Float32Array ? 'context f32' : 'context f64', row === null ? values : null],
    ['pool', pools.pool],
    ['propensity', propensity],
    ['time', time],
    ['user', user?.code],
    ['source row', sourceRow],
    ...[...keys].map(([name, { code }]) => [`key ${name}`, code] as [string, Uint32Array]),
  ];
  return columns.filter((entry): entry is [string, Uint32Array | Float32Array | Float64Array] => entry[1] != null);
}
