/** Files before they are read: that they exist, may be read, and are whole. */

import { type FileHandle, open, stat } from 'node:fs/promises';
import { InputError } from '../errors.js';
import type { FileDigest } from './digest.js';
import { decodedHead, type Encoding } from './encodings.js';
import { fileError } from './file-error.js';
import { type Packing, unpacked } from './unpacked.js';
import { isZstd } from './zstd-frames.js';

export { fileError } from './file-error.js';
export { type Packing, unpacked } from './unpacked.js';

/** First bytes looked at to recognize a format and read a header. */
const HEAD_BYTES = 65536;

/** The beginning of a file, unpacked where it is packed. */
export interface Head {
  readonly packing: Packing;
  readonly bytes: Buffer;
  /** True where `bytes` is the whole content. */
  readonly whole: boolean;
  /** The last bytes of a file that begins as Parquet does, whose table of contents is at its end; else empty. */
  readonly tail: Buffer;
  /** Takes the bytes of the file from whoever reads all of them. */
  readonly digest?: FileDigest;
}

/**
 * Opens a file for a look.
 *
 * @param encoding of its text.
 * @throws InputError if it does not exist, is a directory, may not be read, or holds nothing.
 */
export async function readHead(file: string, encoding: Encoding = 'utf-8'): Promise<Head> {
  const head = await rawHead(file);
  return encoding === 'utf-8' ? head : decodedHead(file, head, encoding);
}

async function rawHead(file: string): Promise<Head> {
  try {
    const status = await stat(file);
    if (status.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
    if (!status.isFile()) {
      throw new InputError({
        file,
        problem: 'not a file, and a log is read more than once',
        needed: 'a file on disk',
        hint: 'pipe it to the command, which reads - with --log-format; or write it to a file first (packed with gzip or zstd is fine)',
      });
    }
    const handle = await open(file, 'r');
    let bytes: Buffer;
    let tail: Buffer = Buffer.alloc(0);
    try {
      const buffer = Buffer.alloc(HEAD_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, HEAD_BYTES, 0);
      bytes = buffer.subarray(0, bytesRead);
      if (isParquet(bytes)) tail = await readTail(handle, status.size);
    } finally {
      await handle.close();
    }
    const gzip = bytes.length >= 2 && bytes[0] === 0x1f && bytes[1] === 0x8b;
    const packing = gzip ? 'gzip' : isZstd(bytes) ? 'zstd' : null;
    if (packing !== null) return { packing, ...(await unpackHead(file, packing)), tail };
    return { packing, bytes, whole: bytes.length < HEAD_BYTES, tail };
  } catch (error) {
    throw error instanceof InputError ? error : fileError(file, error);
  }
}

/** True for the first bytes of a Parquet file. */
export function isParquet(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).toString('latin1') === 'PAR1';
}

async function readTail(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(HEAD_BYTES, size));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length);
  return buffer.subarray(0, bytesRead);
}

async function unpackHead(file: string, packing: Packing): Promise<{ bytes: Buffer; whole: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of unpacked(file, packing)) {
      parts.push(part);
      length += part.length;
      if (length >= HEAD_BYTES) return { bytes: Buffer.concat(parts), whole: false };
    }
  } catch (error) {
    // Readers meet the damage again, and know whether the part before it is wanted.
    if (length === 0 || !(error instanceof InputError)) throw error;
    return { bytes: Buffer.concat(parts), whole: false };
  }
  return { bytes: Buffer.concat(parts), whole: true };
}
