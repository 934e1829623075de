/**
 * The messages of an Arrow IPC file or stream (a file is a stream between a magic word and a footer), cut out of their
 * file one by one. apache-arrow decodes them; it takes a file that ends early for one that is short, and this does not.
 */

import type { FileHandle } from 'node:fs/promises';
import { totalmem } from 'node:os';
import type { Schema } from 'apache-arrow';
import { InputError } from '../../errors.js';
import { saidSize } from './codecs.js';
import { lz4Bound } from './lz4-frame.js';
import type { Arrow } from './types.js';
import { verifyFooter, verifyMessage } from './verify.js';
import { zstdBound } from './zstd-buffer.js';

const MAGIC = 'ARROW1';

/** Sizes beyond this are taken for damage: metadata describe a batch, not hold it. */
const LARGEST_METADATA = 1 << 28;

/** How an Arrow file begins; `null`: it is none. `feather` is the older format of that name. */
export function arrowKind(bytes: Uint8Array): 'file' | 'stream' | 'feather' | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(8, bytes.length)).toString('latin1');
  if (text.startsWith(MAGIC)) return 'file';
  if (text.startsWith('FEA1')) return 'feather';
  if (bytes.length < 8) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  const length = view.getInt32(4, true);
  return view.getUint32(0, true) === 0xffffffff && length >= 0 && length < LARGEST_METADATA ? 'stream' : null;
}

/**
 * The messages of a file or stream as a stream of bytes: the schema, then batches of dictionaries and records.
 *
 * @param handle of `file`; the caller closes it.
 * @param most bytes of a batch, packed and unpacked.
 * @throws InputError with the byte where the file ends too early or makes no sense, or of a batch that is too large.
 */
export async function* arrowMessages(
  arrow: Arrow,
  file: string,
  handle: FileHandle,
  kind: 'file' | 'stream',
  most: number,
): AsyncGenerator<Uint8Array> {
  const { size } = await handle.stat();
  const reading: Reading = { arrow, file, handle, most };
  yield* kind === 'file' ? messagesOfFile(reading, size) : messagesOfStream(reading, size);
}

interface Reading {
  readonly arrow: Arrow;
  readonly file: string;
  readonly handle: FileHandle;
  readonly most: number;
}

/** What the footer lists, dictionaries first; apache-arrow's own files have no schema but that of the footer. */
async function* messagesOfFile(reading: Reading, size: number): AsyncGenerator<Uint8Array> {
  const { arrow, file, handle } = reading;
  const end = await footerStart(file, handle, size);
  const { Footer } = await import('apache-arrow/ipc/metadata/file');
  const { DictionaryBatch, RecordBatch } = arrow.MessageHeader;
  let schema: Uint8Array;
  const blocks: { offset: number; length: number; type: number }[] = [];
  try {
    const bytes = await bytesAt(handle, end, size - 10 - end);
    verifyFooter(bytes);
    const footer = Footer.decode(bytes);
    // A schema that makes no sense cannot be written either.
    schema = schemaMessage(arrow, footer.schema);
    for (const [found, type] of [
      [footer.dictionaryBatches(), DictionaryBatch],
      [footer.recordBatches(), RecordBatch],
    ] as const)
      for (const { offset, metaDataLength, bodyLength } of found)
        blocks.push({ offset, length: metaDataLength + bodyLength, type });
  } catch (error) {
    throw damaged(file, end, `a footer that makes no sense: ${text(error)}`, error);
  }
  yield schema;
  for (const { offset, length, type } of blocks) {
    if (!(offset >= 8 && length > 8 && offset + length <= end))
      throw damaged(file, end, `a footer that lists a batch at byte ${offset}, outside of what there is`);
    const found = await messageAt(reading, offset, end);
    if (found === null || found.type !== type)
      throw damaged(file, offset, 'something else than the batch that the footer lists');
    yield found.bytes;
  }
}

async function* messagesOfStream(reading: Reading, size: number): AsyncGenerator<Uint8Array> {
  const { file } = reading;
  let at = 0;
  for (;;) {
    if (at === size) throw unfinished(file);
    const found = await messageAt(reading, at, size);
    if (found === null) break;
    at += found.bytes.length;
    yield found.bytes;
  }
  // The end mark is eight bytes, or four where there are no markers.
  const left = size - at;
  if (left !== 8 && left !== 4) throw damaged(file, at, 'bytes after the end mark of the stream');
}

/** The message that begins at byte `start`; `null`: the end mark. */
async function messageAt(
  { arrow, file, handle, most }: Reading,
  start: number,
  end: number,
): Promise<{ type: number; bytes: Uint8Array } | null> {
  if (start + 4 > end) throw cut(file, start, end);
  const prefix = await bytesAt(handle, start, Math.min(8, end - start));
  const view = new DataView(prefix.buffer);
  // Before version 0.15 there was no marker before the length.
  const marked = view.getUint32(0, true) === 0xffffffff;
  if (marked && prefix.length < 8) throw cut(file, start, end);
  const length = view.getInt32(marked ? 4 : 0, true);
  if (length === 0) return null;
  if (length < 0 || length > LARGEST_METADATA) throw damaged(file, start, `metadata of ${length} bytes`);
  const body = start + (marked ? 8 : 4) + length;
  if (body > end) throw cut(file, start, end);
  let type: number;
  let bodyLength: number;
  let header: object;
  try {
    const metadata = await bytesAt(handle, body - length, length);
    verifyMessage(metadata);
    const message = arrow.Message.decode(metadata);
    ({ headerType: type, bodyLength } = message);
    header = message.header();
    checkBatch(header);
  } catch (error) {
    throw damaged(file, start, text(error), error);
  }
  if (!(bodyLength >= 0)) throw damaged(file, start, `a body of ${bodyLength} bytes`);
  if (body + bodyLength > end) throw cut(file, start, end);
  if (bodyLength > most) throw tooLarge(file, start, bodyLength, most);
  const bytes = await bytesAt(handle, start, body + bodyLength - start);
  const size = unpackedSize(arrow, header, bytes.subarray(body - start));
  if (size > most) throw tooLarge(file, start, size, most);
  return { type, bytes };
}

/** Bytes that the buffers of a batch unpack to, by what they say, which is checked, or else by their blocks; beside their own. */
function unpackedSize(arrow: Arrow, header: object, body: Uint8Array): number {
  const batch = 'data' in header ? header.data : header;
  if (!(typeof batch === 'object' && batch !== null && 'buffers' in batch && 'compression' in batch)) return 0;
  if (batch.compression === null || batch.compression === undefined) return 0;
  const { type } = batch.compression as { type: number };
  const bound = type === arrow.CompressionType.ZSTD ? zstdBound : lz4Bound;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let size = body.length;
  // The length stands before what is packed; −1: it is not.
  for (const { offset, length } of batch.buffers as readonly { offset: number; length: number }[])
    if (length >= 8 && offset >= 0 && offset + 8 <= body.length) {
      const said = saidSize(view.getBigInt64(offset, true), length - 8);
      size += Math.max(0, said ?? bound(body.subarray(offset + 8, offset + length)));
    }
  return size;
}

/**
 * Bytes of the largest batch, which is decoded as one: what it holds takes some four times as much on its way.
 *
 * @param memory bytes to read with; default: those of the machine.
 */
export function mostOfBatch(memory: number | undefined): number {
  return (memory ?? totalmem()) / 4;
}

function tooLarge(file: string, at: number, size: number, most: number): InputError {
  return new InputError({
    file,
    problem: 'a record batch is too large for the memory',
    got: `${size.toLocaleString('en')} bytes unpacked, in the message at byte ${at}`,
    needed: `at most ${Math.floor(most).toLocaleString('en')} bytes, a quarter of what there is to read with`,
    hint: 'write the file in smaller batches (65,536 rows are common), or give more with --memory',
  });
}

/** Buffers of views are counted apart; apache-arrow makes room for whatever the count says. */
function checkBatch(header: object): void {
  const batch = 'data' in header ? header.data : header;
  if (!(typeof batch === 'object' && batch !== null && 'buffers' in batch && 'variadicBufferCounts' in batch)) return;
  const { buffers, variadicBufferCounts } = batch as {
    buffers: readonly unknown[];
    variadicBufferCounts?: ArrayLike<number | bigint>;
  };
  for (const count of Array.from(variadicBufferCounts ?? []))
    if (!(count >= 0 && count <= buffers.length))
      throw new Error(`${count} buffers of text, of ${buffers.length} in all`);
}

/** The schema as the first message of a stream. */
function schemaMessage(arrow: Arrow, schema: Schema): Uint8Array {
  const metadata = arrow.Message.encode(arrow.Message.from(schema));
  const bytes = new Uint8Array(8 + Math.ceil(metadata.length / 8) * 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xffffffff, true);
  view.setUint32(4, bytes.length - 8, true);
  bytes.set(metadata, 8);
  return bytes;
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Where the footer begins; the footer's length and the magic word stand behind it. */
async function footerStart(file: string, handle: FileHandle, size: number): Promise<number> {
  if (size >= 18) {
    const tail = await bytesAt(handle, size - 10, 10);
    if (Buffer.from(tail.buffer, tail.byteOffset + 4, 6).toString('latin1') === MAGIC) {
      const length = new DataView(tail.buffer, tail.byteOffset, 4).getInt32(0, true);
      if (length > 0 && length <= size - 18) return size - 10 - length;
      throw damaged(file, size - 10, `a footer of ${length} bytes`);
    }
  }
  throw cut(file, 0, size);
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Uint8Array> {
  // Of its own, so that it is aligned.
  const bytes = new Uint8Array(length);
  for (let got = 0; got < length; ) {
    const { bytesRead } = await handle.read(bytes, got, length - got, at + got);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    got += bytesRead;
  }
  return bytes;
}

const HINT = 'copy or download it again; if it is no Arrow file, name its format with --log-format';

function cut(file: string, start: number, end: number): InputError {
  return new InputError({
    file,
    problem: 'the Arrow file ends too early',
    got:
      start === 0
        ? `${end} bytes, without an end`
        : `an end at byte ${end}, within the message that begins at byte ${start}`,
    needed: 'a complete Arrow IPC file or stream',
    hint: HINT,
  });
}

function unfinished(file: string): InputError {
  return new InputError({
    file,
    problem: 'the Arrow stream has no end mark, so that it may be cut off',
    needed: 'eight bytes ff ff ff ff 00 00 00 00 at its end',
    hint: 'close the writer of the stream, or write the file format',
  });
}

function damaged(file: string, at: number, got: string, cause?: unknown): InputError {
  const type = /^Unrecognized type: "(\w+)"/.exec(text(cause))?.[1];
  if (type !== undefined) {
    return new InputError(
      {
        file,
        problem: 'the Arrow file has a column of a type that cannot be read',
        got: type,
        needed: 'numbers, text, booleans, times, dictionaries or lists of them',
        hint: 'write it with another type of that column, or without it, or as Parquet',
      },
      { cause },
    );
  }
  return new InputError(
    {
      file,
      problem: `the Arrow file is damaged at byte ${at}`,
      got,
      needed: 'a complete Arrow IPC file or stream',
      hint: HINT,
    },
    { cause },
  );
}
