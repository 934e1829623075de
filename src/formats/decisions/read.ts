/** Reads files of examples into one log: what the readers of such formats share. */

import { stat } from 'node:fs/promises';
import { filesText, InputError } from '../../errors.js';
import { DAMAGED } from '../../files/damage.js';
import { unpacked } from '../../files/unpacked.js';
import type { EventLog } from '../../log/event-log.js';
import type { ReadOptions } from '../../log/read-options.js';
import type { BatchSink } from '../../log/sink.js';
import type { HeadedFile } from '../format.js';
import { CollectedEvents } from './collected-events.js';
import { DecisionCollector } from './collector.js';
import { DecisionColumns, layoutOf } from './decision-columns.js';
import { decisionOptions } from './options.js';
import { DecisionReading, type DecisionRows, type LineParser } from './reading.js';
import { VocabularySurvey } from './survey.js';

/** Makes the parser of the lines of all files, one after the other. */
type MakeParser = (rows: DecisionRows) => LineParser;

/**
 * @param format name of the reader.
 * @param sink takes the events: the files are then read twice, first to know the columns and candidate sets.
 * @throws InputError; the signal's reason.
 */
export async function readDecisions(
  format: string,
  files: readonly HeadedFile[],
  options: ReadOptions,
  sink: BatchSink | null,
  parser: MakeParser,
): Promise<EventLog> {
  const collector = new DecisionCollector(decisionOptions(format, options));
  if (sink !== null) return emit(format, files, options, sink, parser, collector);
  const kept = new CollectedEvents(collector);
  collector.taker = kept;
  const reading = new DecisionReading(format, options, parser, collector);
  await readAll(reading, files, options);
  return kept.finish(reading.finish());
}

async function emit(
  format: string,
  files: readonly HeadedFile[],
  options: ReadOptions,
  sink: BatchSink,
  parser: MakeParser,
  collector: DecisionCollector,
): Promise<EventLog> {
  const survey = new VocabularySurvey(collector);
  collector.taker = survey;
  const first = new DecisionReading(format, options, parser, collector);
  await readAll(first, files, halfOf(options, 0, 0));
  const source = first.finish();
  const log = survey.finish(source);
  const columns = new DecisionColumns(log.contexts ?? undefined);
  await sink.begin(layoutOf(log.head));
  collector.taker = columns;
  const again = new DecisionReading(format, options, parser, collector);
  const before = collector.size;
  await readAll(again, files, halfOf(options, 0.5, first.rows), async () => {
    if (columns.isBatch(log)) await sink.take(columns.emit(log));
  });
  await sink.take(columns.emit(log));
  if (!columns.isSame(log) || again.rows !== first.rows || collector.size !== before) throw changed(files);
  return { ...log.head, source };
}

/** Progress of one of two readings. */
function halfOf(options: ReadOptions, from: number, rows: number): ReadOptions {
  const { onProgress } = options;
  return { ...options, onProgress: (fraction, read) => onProgress?.(from + fraction / 2, rows + read) };
}

function changed(files: readonly HeadedFile[]): InputError {
  return new InputError({
    file: filesText(files.map(({ file }) => file)),
    problem: 'the log changed while it was read',
    needed: 'files that nobody writes to',
    hint: 'read them again when they are complete',
  });
}

/** What goes through files, one after the other: of each `open`, its bytes, and `close`. */
type FileReading = Pick<DecisionReading, 'rows' | 'open' | 'push' | 'close'>;

/** @param afterPart told whenever some of the bytes were read. */
export async function readAll(
  reading: FileReading,
  files: readonly HeadedFile[],
  options: ReadOptions,
  afterPart?: () => Promise<void>,
): Promise<void> {
  const sizes: number[] = [];
  for (const { file } of files) sizes.push((await stat(file)).size);
  const total = Math.max(
    1,
    sizes.reduce((a, b) => a + b, 0),
  );
  let before = 0;
  for (const [number, { file, head }] of files.entries()) {
    reading.open(file);
    let read = 0;
    let damage: InputError | null = null;
    try {
      const told = (bytes: number) => {
        read = Math.min(bytes, sizes[number]);
      };
      for await (const part of unpacked(file, head.packing, told, head.digest)) {
        options.signal?.throwIfAborted();
        reading.push(part);
        await afterPart?.();
        options.onProgress?.(Math.min(1, (before + read) / total), reading.rows);
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage = error;
    }
    options.signal?.throwIfAborted();
    reading.close(damage);
    before += sizes[number];
    options.onProgress?.(Math.min(1, before / total), reading.rows);
  }
}

/** True where the compressed data of a file end early or are damaged. */
function isDamage(error: unknown): error is InputError {
  return error instanceof InputError && Object.values<string>(DAMAGED).includes(error.fault.problem);
}
