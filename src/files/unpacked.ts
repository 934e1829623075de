/** The bytes of a file, unpacked where it is packed, to the last byte before any damage. */

import { type FileHandle, open } from 'node:fs/promises';
import { createGunzip, type Gunzip } from 'node:zlib';
import { InputError } from '../errors.js';
import { DAMAGED } from './damage.js';
import type { DigestPass, FileDigest } from './digest.js';
import { fileError } from './file-error.js';
import { unzstd } from './unzstd.js';

/** Compressed bytes handed over at a time. Deflate packs at most 1,032 to 1, so that one piece gives 33 MiB at most. */
const PIECE = 32768;

/** How a file is packed; `null`: not at all. */
export type Packing = 'gzip' | 'zstd' | null;

/** Told how many bytes of the file, as it is on disk, are read so far. */
export type OnBytes = (bytes: number) => void;

/**
 * The bytes of a file, unpacked where it is gzip (all its members) or Zstandard (all its frames). Unpacking runs beside the caller. All that was packed
 * before a damage is given out before the error. What is given out is valid until the next part is asked for.
 *
 * @param digest takes the bytes of the file as it is on disk.
 * @throws InputError if the compressed data end early or are damaged ({@link DAMAGED}), or the file cannot be read.
 */
export async function* unpacked(
  file: string,
  packing: Packing,
  onBytes?: OnBytes,
  digest?: FileDigest,
): AsyncGenerator<Buffer> {
  const pass = (await digest?.begin()) ?? null;
  if (packing === 'zstd') {
    yield* unzstd(file, onBytes, pass);
    return;
  }
  if (packing === null) {
    let bytes = 0;
    for await (const piece of pieces(file, 1 << 20)) {
      bytes += piece.length;
      pass?.add(piece);
      onBytes?.(bytes);
      yield piece;
    }
    pass?.end();
    return;
  }
  const first = new Unpacking();
  let given = 0;
  for await (const part of first.parts(file, PIECE, onBytes, undefined, pass)) {
    given += part.length;
    yield part;
  }
  const { error } = first;
  if (error === null) return;
  // zlib keeps what it unpacked from a piece before the damage in it: once more, with that piece byte by byte.
  const again = new Unpacking();
  let skip = given;
  for await (const part of again.parts(file, PIECE, undefined, first.accepted)) {
    if (part.length > skip) yield skip > 0 ? part.subarray(skip) : part;
    skip = Math.max(0, skip - part.length);
  }
  throw damage(file, error);
}

/** The bytes of a file as they are. Two buffers take turns: one is read into while the caller looks at the other. */
async function* pieces(file: string, most: number): AsyncGenerator<Buffer> {
  let handle: FileHandle | undefined;
  let next: Promise<{ bytesRead: number }> | undefined;
  try {
    handle = await open(file);
    const size = Math.min(most, (await handle.stat()).size + 1);
    const buffers = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)];
    next = handle.read(buffers[0], 0, size);
    for (let turn = 0; ; turn = 1 - turn) {
      const { bytesRead } = await next;
      if (bytesRead === 0) return;
      next = handle.read(buffers[1 - turn], 0, size);
      yield buffers[turn].subarray(0, bytesRead);
    }
  } catch (error) {
    throw fileError(file, error);
  } finally {
    await next?.catch(() => {});
    await handle?.close();
  }
}

/** One run through a gzip file. */
class Unpacking {
  /** What ended it, where that was not the end of the file. */
  error: Error | null = null;
  /** Bytes of the pieces before the one that `error` is in. */
  accepted = 0;
  private readonly gunzip: Gunzip = createGunzip({ chunkSize: 1 << 18 });
  private queue: Buffer[] = [];
  private ended = false;
  private readonly done: Promise<void>;

  constructor() {
    const { gunzip } = this;
    // Flowing: a stream that is read on demand drops what is unread when an error comes.
    gunzip.on('data', (part: Buffer) => this.queue.push(part));
    this.done = new Promise((resolve) => {
      gunzip.once('error', (error) => {
        this.error = error;
        resolve();
      });
      gunzip.once('end', () => {
        this.ended = true;
        resolve();
      });
    });
  }

  /** @param fineFrom bytes of the file after which pieces are single bytes. */
  async *parts(
    file: string,
    size: number,
    onBytes?: OnBytes,
    fineFrom = Number.POSITIVE_INFINITY,
    pass: DigestPass | null = null,
  ) {
    let bytes = 0;
    try {
      for await (const piece of pieces(file, size)) {
        const step = bytes >= fineFrom ? 1 : piece.length;
        for (let at = 0; at < piece.length && this.error === null; at += step) {
          const part = piece.subarray(at, at + step);
          if (this.ended) {
            this.checkPadding(part);
            continue;
          }
          const written = this.write(part);
          // The caller works on the parts of the piece before while this one is unpacked.
          if (this.queue.length > 0) yield* this.take();
          await written;
          // zlib takes nothing of what follows the last member.
          const taken = this.gunzip.bytesWritten - bytes - at;
          if (this.error === null && taken < part.length) {
            this.ended = true;
            this.checkPadding(part.subarray(taken));
          }
        }
        if (this.error !== null) break;
        pass?.add(piece);
        bytes += piece.length;
        this.accepted = bytes;
        onBytes?.(bytes);
      }
      if (this.error === null) pass?.end();
      if (this.error === null && !this.ended) {
        this.gunzip.end();
        await this.done;
      }
      yield* this.take();
    } finally {
      this.gunzip.destroy();
    }
  }

  private write(piece: Buffer): Promise<void> {
    return Promise.race([this.done, new Promise<void>((resolve) => this.gunzip.write(piece, () => resolve()))]);
  }

  private take(): Buffer[] {
    const taken = this.queue;
    this.queue = [];
    return taken;
  }

  /** Zeros may follow the last member; zlib ignores whatever stands behind them. */
  private checkPadding(rest: Buffer): void {
    if (rest.some((byte) => byte !== 0)) this.error = new Error('zeros, then other bytes, after a compressed part');
  }
}

function damage(file: string, error: Error): InputError {
  const code = 'code' in error ? String(error.code) : '';
  const cut = code === 'Z_BUF_ERROR';
  return new InputError(
    {
      file,
      problem: cut ? DAMAGED.cutGzip : DAMAGED.damagedGzip,
      got: error.message,
      needed: 'a complete gzip file',
      hint: 'copy or download it again; gzip -t tests a file',
    },
    { cause: error },
  );
}
