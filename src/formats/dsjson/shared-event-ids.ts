/** The EventIds that several lines have, for readings whose memory is bounded: a look at the ids alone, before. */

import { filesText } from '../../errors.js';
import { openDatabase } from '../../files/duckdb.js';
import { TextLines } from '../../files/lines.js';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { GrowingU32 } from '../../log/build/growing.js';
import { hashOf, type IdHashes } from '../../log/build/seen-ids.js';
import type { ReadOptions } from '../../log/read-options.js';
import { readAll } from '../decisions/read.js';
import type { HeadedFile } from '../format.js';
import { sharedIds } from '../shared-ids.js';
import { parseObject } from './json.js';
import { idOf } from './repeated-events.js';

/** Rows that the database takes at a time. */
const CHUNK = 2048;

/** @param memory bytes that it may take. @throws InputError where several lines have more ids than fit it; the signal's reason. */
export async function sharedEventIds(
  files: readonly HeadedFile[],
  { signal, maxLine }: ReadOptions,
  memory: number,
): Promise<IdHashes> {
  const temporary = await temporaryFolder();
  const database = await openDatabase(temporary.path, memory);
  try {
    await database.run('CREATE TABLE ids (high UINTEGER, low UINTEGER)');
    const writer = await database.writer('ids');
    const [high, low] = [new GrowingU32(), new GrowingU32()];
    const store = () => {
      const halves = [high.take(), low.take()];
      for (let from = 0; from < halves[0].length; from += CHUNK) {
        const count = Math.min(CHUNK, halves[0].length - from);
        writer.append(count, (column, { items }) => {
          (items as Uint32Array).set(halves[column].subarray(from, from + count));
        });
      }
    };
    const visitor = {
      line(text: string): void {
        const id = idIn(text);
        if (id === null) return;
        const [upper, lower] = hashOf(id);
        high.push(upper);
        // As `SeenIds` has it: of no hash is the lower half 0.
        low.push(lower || 1);
      },
      badLine(): void {},
    };
    let lines = new TextLines(visitor, maxLine);
    const reading = {
      rows: 0,
      open(): void {
        lines = new TextLines(visitor, maxLine);
      },
      push: (part: Buffer) => lines.push(part),
      close: (damage: Error | null = null) => void lines.end(damage !== null),
    };
    await readAll(reading, files, { signal }, async () => store());
    store();
    writer.close();
    const hashes = 'SELECT (CAST(high AS UBIGINT) << 32) | low AS h FROM ids';
    return await sharedIds(database, hashes, { file: filesText(files.map(({ file }) => file)), column: 'EventId' });
  } finally {
    database.close();
    await temporary.remove();
  }
}

const NAME = '"EventId"';
const PLAIN_VALUE = /\s*:\s*"([^"\\]+)"/y;

/**
 * The EventId of a line, `null`: none. Lines of which no event comes may have one too, and what looks like one within a context
 * counts where the event has none: ids too many do no harm.
 */
export function idIn(line: string): string | null {
  // Names and values may be written with escapes: those are parsed.
  if (!line.includes('\\u')) {
    const at = line.indexOf(NAME);
    if (at < 0) return null;
    if (line.indexOf(NAME, at + 1) < 0) {
      PLAIN_VALUE.lastIndex = at + NAME.length;
      const value = PLAIN_VALUE.exec(line)?.[1];
      if (value !== undefined) return value;
    }
  }
  try {
    return idOf(parseObject(line));
  } catch {
    return null;
  }
}
