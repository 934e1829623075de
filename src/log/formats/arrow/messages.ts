/**
 * The messages of an Arrow IPC file or stream (a file is a stream between a magic word and a footer), cut out of their
 * file one by one. apache-arrow decodes them; it takes a file that ends early for one that is short, and this does not.
 */

import { type FileHandle, open } from 'node:fs/promises';
import type { Message } from 'apache-arrow';
import { InputError } from '../../../errors.js';
import { fileError } from '../file-error.js';

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

/** A message with its bytes. */
export interface ArrowMessage {
  readonly message: Message;
  readonly bytes: Uint8Array;
}

/**
 * The messages in order.
 *
 * @param decode apache-arrow's `Message.decode`.
 * @throws InputError with the byte where the file ends too early or makes no sense.
 */
export async function* arrowMessages(
  file: string,
  kind: 'file' | 'stream',
  decode: (metadata: Uint8Array) => Message,
): AsyncGenerator<ArrowMessage> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw fileError(file, error);
  });
  try {
    const { size } = await handle.stat();
    const end = kind === 'file' ? await footerStart(file, handle, size) : size;
    let at = kind === 'file' ? 8 : 0;
    let ended = false;
    while (!ended && at + 4 <= end) {
      const start = at;
      const prefix = await bytesAt(handle, at, Math.min(8, end - at));
      const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
      // Before version 0.15 there was no marker before the length.
      const marked = view.getUint32(0, true) === 0xffffffff;
      if (marked && prefix.length < 8) throw cut(file, start, end);
      const length = view.getInt32(marked ? 4 : 0, true);
      at += marked ? 8 : 4;
      if (length === 0) {
        ended = true;
        break;
      }
      if (length < 0 || length > LARGEST_METADATA) throw damaged(file, start, `metadata of ${length} bytes`);
      if (at + length > end) throw cut(file, start, end);
      let message: Message;
      try {
        message = decode(await bytesAt(handle, at, length));
        // Reads what it refers to.
        message.header();
      } catch (error) {
        throw damaged(file, start, error instanceof Error ? error.message : String(error), error);
      }
      at += length;
      const { bodyLength } = message;
      if (!(bodyLength >= 0)) throw damaged(file, start, `a body of ${bodyLength} bytes`);
      if (at + bodyLength > end) throw cut(file, start, end);
      at += bodyLength;
      yield { message, bytes: await bytesAt(handle, start, at - start) };
    }
    if (kind === 'stream') {
      if (!ended) throw at === end ? unfinished(file) : cut(file, at, end);
      if (at < end) throw damaged(file, at, 'bytes after the end mark of the stream');
    } else if (end - at >= 64 || (await bytesAt(handle, at, Math.max(0, end - at))).some((byte) => byte !== 0)) {
      throw damaged(file, at, 'bytes that belong to no message');
    }
  } finally {
    await handle.close();
  }
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
