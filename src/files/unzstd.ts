/** The bytes of a Zstandard file, frame by frame, with their checksums checked. Node 20 has no decoder of its own. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { InputError } from '../errors.js';
import { DAMAGED } from './damage.js';
import type { DigestPass } from './digest.js';
import { fileError } from './file-error.js';
import { type ZstdFrame, zstdFrames } from './zstd-frames.js';

/** The decoder finds no match that lies further back. zstd writes such frames only with --long, or --ultra beyond 32 MB. */
export const LARGEST_WINDOW = 2 ** 25;

/** Compressed bytes handed to the decoder at a time: at most 256 blocks of 128 KiB, where each is one byte repeated. */
const PIECE = 1024;

/** Unpacked bytes given out at a time, about. */
const PART = 1 << 18;

/**
 * The content. All blocks before a damage are given out before the error.
 *
 * @param onBytes told how many bytes of the file, as it is on disk, are read so far.
 * @param pass takes the bytes of the file as it is on disk.
 * @throws InputError where the file ends early, is damaged, or needs more history than the decoder keeps.
 */
export async function* unzstd(
  file: string,
  onBytes?: (bytes: number) => void,
  pass: DigestPass | null = null,
): AsyncGenerator<Buffer> {
  const { frames, fault } = scan(file);
  checkWindows(file, frames);
  const [{ Decompress }, { default: xxhash }] = await Promise.all([import('fzstd'), import('xxhash-wasm')]);
  const { create64 } = await xxhash();
  let hashed = 0;
  for (const frame of frames) {
    const queue: Uint8Array[] = [];
    const hash = create64();
    let length = 0;
    const decoder = new Decompress((part) => {
      if (part.length === 0) return;
      length += part.length;
      queue.push(part);
      hash.update(part);
    });
    let bytes = frame.start;
    const source = createReadStream(file, { start: frame.start, end: frame.end - 1, highWaterMark: 1 << 18 });
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        let broken: unknown = null;
        for (let at = 0; at < chunk.length && broken === null; at += PIECE) {
          try {
            decoder.push(chunk.subarray(at, at + PIECE));
          } catch (error) {
            broken = error;
          }
          if (broken !== null || sizeOf(queue) >= PART) yield* queue.splice(0).map(asBuffer);
        }
        if (broken !== null) throw damage(file, false, message(broken), broken);
        // What lies between frames (skippable ones) is not read: the pass then counts for nothing.
        if (bytes === hashed) {
          pass?.add(chunk);
          hashed += chunk.length;
        }
        bytes += chunk.length;
        onBytes?.(bytes);
      }
    } catch (error) {
      throw error instanceof InputError ? error : fileError(file, error);
    } finally {
      source.destroy();
    }
    try {
      // What is shorter than a header and a block waits for the end of its frame.
      if (frame.whole) decoder.push(new Uint8Array(0), true);
    } catch (error) {
      throw damage(file, false, message(error), error);
    }
    yield* queue.map(asBuffer);
    if (frame.size !== null && length !== frame.size)
      throw damage(file, false, `${length} bytes, and the frame at byte ${frame.start} says ${frame.size}`);
    if (frame.checksum !== null && Number(hash.digest() & 0xffffffffn) !== frame.checksum)
      throw damage(file, false, `another checksum than that of the frame at byte ${frame.start}`);
  }
  if (fault !== null) throw damage(file, fault.cut, fault.got);
  if (pass !== null && hashed === (await stat(file)).size) pass.end();
}

function scan(file: string): ReturnType<typeof zstdFrames> {
  try {
    return zstdFrames(file);
  } catch (error) {
    throw fileError(file, error);
  }
}

function checkWindows(file: string, frames: readonly ZstdFrame[]): void {
  // Of a frame of one segment the window is what it says that it has.
  const lie = frames.find(({ size, most, window }) => window > LARGEST_WINDOW && (size ?? 0) > most);
  if (lie !== undefined)
    throw damage(file, false, `at most ${lie.most} bytes, and the frame at byte ${lie.start} says ${lie.size}`);
  const largest = frames.reduce((most, { window }) => Math.max(most, window), 0);
  if (largest <= LARGEST_WINDOW) return;
  throw new InputError({
    file,
    problem: 'unpacking the file needs more history than is kept here',
    got: `a window of ${(largest / 2 ** 20).toLocaleString('en', { maximumFractionDigits: 1 })} MiB`,
    needed: 'at most 32 MiB',
    hint: 'unpack it with zstd -d --long=31, or pack it without --long and --ultra',
  });
}

function damage(file: string, cut: boolean, got: string, cause?: unknown): InputError {
  return new InputError(
    {
      file,
      problem: cut ? DAMAGED.cutGzip : DAMAGED.damagedGzip,
      got,
      needed: 'a complete Zstandard file',
      hint: 'copy or download it again; zstd -t tests a file',
    },
    { cause },
  );
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function asBuffer(part: Uint8Array): Buffer {
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}
