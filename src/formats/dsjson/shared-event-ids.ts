/** The EventIds that several lines have, for readings whose memory is bounded: a look at the ids alone, before. */

import { filesText } from '../../errors.js';
import { type Database, openDatabase, type TableWriter } from '../../files/duckdb.js';
import { TextLines } from '../../files/lines.js';
import { type TemporaryFolder, temporaryFolder } from '../../files/temporary-folder.js';
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

/** Ids of which all may be held: 8 MB of hashes, then 32 MB of `SeenIds`. */
const FEW = 2 ** 20;

/**
 * @param memory bytes that looking for them may take.
 * @param few so many ids need no look: those of a log that has no more may all be held, `null`.
 * @throws InputError where several lines have more ids than fit the memory; the signal's reason.
 */
export async function sharedEventIds(
  files: readonly HeadedFile[],
  { signal, maxLine }: ReadOptions,
  memory: number,
  few = FEW,
): Promise<IdHashes | null> {
  const opened: { table: IdTable | null } = { table: null };
  try {
    const [high, low] = [new GrowingU32(), new GrowingU32()];
    const store = async () => {
      if (opened.table === null && high.length <= few) return;
      opened.table ??= await IdTable.open(memory);
      opened.table.add(high.take(), low.take());
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
    await readAll(reading, files, { signal }, store);
    await store();
    return (await opened.table?.shared(filesText(files.map(({ file }) => file)))) ?? null;
  } finally {
    await opened.table?.close();
  }
}

/** Hashes of ids in a database, which puts on disk what outgrows its memory. */
class IdTable {
  private constructor(
    private readonly temporary: TemporaryFolder,
    private readonly database: Database,
    private readonly writer: TableWriter,
  ) {}

  static async open(memory: number): Promise<IdTable> {
    const temporary = await temporaryFolder();
    try {
      const database = await openDatabase(temporary.path, memory);
      await database.run('CREATE TABLE ids (high UINTEGER, low UINTEGER)');
      return new IdTable(temporary, database, await database.writer('ids'));
    } catch (error) {
      await temporary.remove();
      throw error;
    }
  }

  add(...halves: readonly [high: Uint32Array, low: Uint32Array]): void {
    for (let from = 0; from < halves[0].length; from += CHUNK) {
      const count = Math.min(CHUNK, halves[0].length - from);
      this.writer.append(count, (column, { items }) => {
        (items as Uint32Array).set(halves[column].subarray(from, from + count));
      });
    }
  }

  shared(file: string): Promise<IdHashes> {
    this.writer.close();
    const hashes = 'SELECT (CAST(high AS UBIGINT) << 32) | low AS h FROM ids';
    return sharedIds(this.database, hashes, { file, column: 'EventId' });
  }

  async close(): Promise<void> {
    this.database.close();
    await this.temporary.remove();
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
