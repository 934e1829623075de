/** Files before they are read: that they exist, may be read, and are whole. */

import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { InputError } from '../../errors.js';

/** First bytes looked at to recognize a format and read a header. */
const HEAD_BYTES = 65536;

/** A system error as the caller needs to hear it. */
export function fileError(file: string, error: unknown): InputError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const problem =
    {
      ENOENT: 'no such file',
      EACCES: 'no permission to read the file',
      EISDIR: 'is a directory',
      ENOTDIR: 'no such file',
    }[code] ?? 'the file cannot be read';
  const hint =
    code === 'EISDIR'
      ? 'name the files in it, e.g. with a shell pattern'
      : code === 'EACCES'
        ? 'change its permissions, or run as a user that may read it'
        : code === 'ENOENT'
          ? 'check the path; relative paths are relative to the current directory'
          : undefined;
  const got = code === '' ? String(error) : undefined;
  return new InputError({ file, problem, got, hint }, { cause: error });
}

/** The beginning of a file, unpacked where it is gzip. */
export interface Head {
  readonly gzip: boolean;
  readonly bytes: Buffer;
  /** True where `bytes` is the whole content. */
  readonly whole: boolean;
  /** The last bytes of a file that begins as Parquet does, whose table of contents is at its end; else empty. */
  readonly tail: Buffer;
}

/**
 * Opens a file for a look.
 *
 * @throws InputError if it does not exist, is a directory, may not be read, or holds nothing.
 */
export async function readHead(file: string): Promise<Head> {
  try {
    const status = await stat(file);
    if (status.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
    if (!status.isFile()) {
      throw new InputError({
        file,
        problem: 'not a file, and a log is read more than once',
        needed: 'a file on disk',
        hint: 'write the output of the other program to a file first; .gz is read as it is',
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
    if (gzip) return { gzip, ...(await gunzipHead(file)), tail };
    return { gzip, bytes, whole: bytes.length < HEAD_BYTES, tail };
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

async function gunzipHead(file: string): Promise<{ bytes: Buffer; whole: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  const source = unpacked(file, true);
  for await (const part of source) {
    parts.push(part);
    length += part.length;
    if (length >= HEAD_BYTES) return { bytes: Buffer.concat(parts), whole: false };
  }
  return { bytes: Buffer.concat(parts), whole: true };
}

/**
 * The bytes of a file, unpacked where it is gzip.
 *
 * @throws InputError if the compressed data end early or are damaged.
 */
export async function* unpacked(file: string, gzip: boolean): AsyncGenerator<Buffer> {
  const source = createReadStream(file, { highWaterMark: 1 << 20 });
  if (!gzip) {
    for await (const part of source) yield part as Buffer;
    return;
  }
  const gunzip = createGunzip({ chunkSize: 1 << 18 });
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    for await (const part of gunzip) yield part as Buffer;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')))
      throw fileError(file, error);
    const truncated = String(error.code) === 'Z_BUF_ERROR';
    throw new InputError(
      {
        file,
        problem: truncated ? 'the compressed file ends too early' : 'the compressed file is damaged',
        got: error.message,
        needed: 'a complete gzip file',
        hint: 'copy or download it again; gzip -t tests a file',
      },
      { cause: error },
    );
  } finally {
    source.destroy();
  }
}

/**
 * Unpacks a gzip file to its end and checks its checksums. DuckDB reads the rows of a truncated file and reports
 * nothing, so nobody else would notice.
 */
export async function checkGzip(file: string): Promise<void> {
  for await (const part of unpacked(file, true)) void part;
}
