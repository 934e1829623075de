/** Ids that more than one row has, found in bounded memory: the database looks for them, and puts on disk what outgrows it. */

import { type Fault, InputError } from '../errors.js';
import type { Database } from '../files/duckdb.js';
import { GrowingU32 } from '../log/build/growing.js';
import { type IdHashes, SeenIds } from '../log/build/seen-ids.js';

/** Share of the database's memory that ids may take. */
const SHARE = 0.5;

/** The halves of a hash of 64 bits, as SQL. */
export function halves(hash: string): string[] {
  return [`CAST(${hash} >> 32 AS UINTEGER)`, `CAST(${hash} & 4294967295 AS UINTEGER)`];
}

/**
 * The hashes that are there more than once. Those are held, of others nothing.
 *
 * @param hashes query of an id's hash of 64 bits per row, `h`.
 * @param place of the ids, for a message.
 * @throws InputError where they are too many for the memory that the database may take.
 */
export async function sharedIds(
  database: Database,
  hashes: string,
  place: Pick<Fault, 'file' | 'column'>,
): Promise<IdHashes> {
  const [high, low] = [new GrowingU32(), new GrowingU32()];
  const most = database.memory === undefined ? Number.POSITIVE_INFINITY : database.memory * SHARE;
  const fits = (): boolean => 8 * high.length + SeenIds.bytes(high.length) <= most;
  await database.stream(
    `SELECT ${halves('h').join(', ')} FROM (SELECT h FROM (${hashes}) GROUP BY h HAVING count(*) > 1)`,
    (batch) => {
      const [highs, lows] = [batch.items(0).items, batch.items(1).items];
      for (let i = 0; i < batch.rows; i++) {
        high.push(highs[i]);
        low.push(lows[i]);
      }
      return fits();
    },
  );
  if (fits()) return { high: high.column(), low: low.column() };
  throw new InputError({
    ...place,
    problem: 'more events have an id that another has than fit the memory that the log may take',
    got: `${high.length.toLocaleString('en')} such ids and more, at 29 to 51 bytes each`,
    needed: `at most ${Math.floor(most / 1e6)} MB of them`,
    hint: 'raise --memory, or leave the repeated rows out of the files',
  });
}
