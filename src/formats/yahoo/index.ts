/**
 * The Yahoo! Front Page Today Module logs R6A (2009: six features of user and article) and R6B (2011: 136 binary features
 * of the user). Contexts of R6A are user_2 .. user_6, user_1: the constant #1 stands last, as in the files. Arms are
 * article ids in digits, without the `id-` of R6B. The logs say no propensity; whether display was uniform is tested.
 */

import { stat } from 'node:fs/promises';
import { InputError } from '../../errors.js';
import { DAMAGED } from '../../files/damage.js';
import type { Head } from '../../files/files.js';
import { unpacked } from '../../files/unpacked.js';
import { inForm } from '../../log/build/context-form.js';
import type { EventLog } from '../../log/event-log.js';
import type { ReadOptions } from '../../log/read-options.js';
import type { BatchSink } from '../../log/sink.js';
import { listNames } from '../../names/order.js';
import type { EventFormat, HeadedFile } from '../format.js';
import type { YahooFormat } from './needed.js';
import { YahooReader } from './reader.js';
import { yahooKind } from './sniff.js';

export const r6a: EventFormat<'r6a'> = {
  isText: true,
  name: 'r6a',
  extensions: [],
  // Where the beginning does not tell, reading says so.
  sniff: (head) => ['r6a', 'unclear'].includes(yahooKind(head) ?? ''),
  read: (files, options, sink) => read('r6a', files, options, sink),
};

export const r6b: EventFormat<'r6b'> = {
  isText: true,
  name: 'r6b',
  extensions: [],
  sniff: (head) => yahooKind(head) === 'r6b',
  read: (files, options, sink) => read('r6b', files, options, sink),
};

async function read(
  format: YahooFormat,
  files: readonly HeadedFile[],
  options: ReadOptions,
  sink: BatchSink | null,
): Promise<EventLog> {
  checkOptions(format, options);
  if (options.format === undefined) checkKinds(files);
  return inForm(sink !== null, async (form) => {
    const reader = new YahooReader(format, options, form);
    await sink?.begin(reader.layout());
    await readAll(reader, files, options, sink);
    await sink?.take(reader.take());
    return reader.finish();
  });
}

/** @throws InputError for a file that may be either. */
function checkKinds(files: readonly HeadedFile[]): void {
  const unclear = files.find(({ head }) => yahooKind(head) === 'unclear');
  if (unclear === undefined) return;
  throw new InputError({
    file: unclear.file,
    problem: 'the beginning of the file does not tell whether it is R6A or R6B',
    got: 'as many lines with an article 109498 as with an article id-109498',
    needed: 'lines of one of them',
    hint: 'name the format: --log-format r6a or --log-format r6b',
  });
}

async function readAll(
  reader: YahooReader,
  files: readonly HeadedFile[],
  options: ReadOptions,
  sink: BatchSink | null,
): Promise<void> {
  const sizes: number[] = [];
  for (const { file } of files) sizes.push((await stat(file)).size);
  const total = sizes.reduce((a, b) => a + b, 0);
  let before = 0;
  for (const [i, { file, head }] of files.entries()) {
    const fractionOf = (bytes: number) => (before + Math.min(bytes, sizes[i])) / total;
    await readFile(reader, file, head, options, sink, fractionOf);
    before += sizes[i];
  }
}

async function readFile(
  reader: YahooReader,
  file: string,
  { packing, digest }: Head,
  { signal, onProgress }: ReadOptions,
  sink: BatchSink | null,
  fractionOf: (bytes: number) => number,
): Promise<void> {
  reader.startFile(file);
  let damage: InputError | undefined;
  let bytes = 0;
  try {
    const told = (read: number) => {
      bytes = read;
    };
    for await (const chunk of unpacked(file, packing, told, digest)) {
      signal?.throwIfAborted();
      reader.fractionRead = fractionOf(bytes);
      reader.push(chunk);
      if (sink !== null && reader.isBatch) await sink.take(reader.take());
      onProgress?.(reader.fractionRead, reader.rows);
    }
  } catch (error) {
    if (!(error instanceof InputError && isDamage(error))) throw error;
    damage = error;
  }
  reader.endFile(damage);
}

function isDamage({ fault }: InputError): boolean {
  return Object.values<string>(DAMAGED).includes(fault.problem);
}

function checkOptions(format: YahooFormat, { where, keys, mapping }: ReadOptions): void {
  const has = 'time, article, click, user features and the pool';
  if (mapping !== undefined) {
    throw new InputError({
      problem: `the format ${format} brings its own mapping`,
      hint: 'give a format or a mapping, not both',
    });
  }
  if (where !== undefined && where.trim() !== '') {
    throw new InputError({
      problem: `the format ${format} takes no filter`,
      got: where,
      needed: `the whole log: lines of ${has}`,
      hint: 'convert the log to Parquet, and filter that',
    });
  }
  if (keys !== undefined && keys.length > 0) {
    throw new InputError({
      column: keys[0],
      problem: `a ${format} log has no columns to look up`,
      got: listNames(keys),
      needed: `policies over contexts (user_1, user_2, …) or constant ones; a line has ${has}`,
    });
  }
}
