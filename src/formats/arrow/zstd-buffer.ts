/**
 * Unpacks Zstandard frames in memory, as Arrow packs its buffers. fzstd believes what a frame says of its size: of a frame
 * that holds less the rest would be zeros, of one that holds more the end would be missing.
 */

import { randomBytes } from 'node:crypto';
import { LARGEST_WINDOW } from '../../files/unzstd.js';
import { type ZstdFrame, zstdFramesOf } from '../../files/zstd-frames.js';

type Fzstd = Pick<typeof import('fzstd'), 'decompress' | 'Decompress'>;

/** XXH64 of bytes. */
export type Xxh64 = (bytes: Uint8Array) => bigint;

/** Behind the content of a frame, to see where it ends. */
const MARK = randomBytes(8);

/** What fzstd can make room for. */
const MOST = 2 ** 31 - 1 - MARK.length;

/** Bytes of content that frames have at most, as their blocks allow; 0 for what is no frame. */
export function zstdBound(bytes: Uint8Array): number {
  return zstdFramesOf(bytes).frames.reduce((sum, { size, most }) => sum + Math.min(size ?? most, most), 0);
}

/**
 * The content of all frames, sizes and checksums checked.
 *
 * @param most bytes of the content: beyond, no more is unpacked.
 * @throws Error that says what is wrong with a frame.
 */
export function zstdBuffer(bytes: Uint8Array, fzstd: Fzstd, xxh64: Xxh64, most = Number.POSITIVE_INFINITY): Uint8Array {
  const { frames, fault } = zstdFramesOf(bytes);
  if (fault !== null) throw new Error(fault.got);
  let left = most;
  const take = (length: number): void => {
    left -= length;
    if (left < 0) throw new Error(`Zstandard frames of more than the ${most} bytes that they are to have`);
  };
  const parts = frames.map((frame) => {
    if (frame.size !== null) take(frame.size);
    const content = frame.size === null ? unsized(bytes, frame, fzstd, take) : sized(bytes, frame, frame.size, fzstd);
    if (frame.checksum !== null && Number(xxh64(content) & 0xffffffffn) !== frame.checksum)
      throw new Error('a Zstandard frame with another checksum');
    return content;
  });
  // Arrays of 64-bit numbers need a multiple of 8 to begin at, which a frame's own content has.
  return parts.length === 1 ? parts[0] : Uint8Array.from(Buffer.concat(parts));
}

/** A frame that says its size: with the mark as a last block of its own, which fits where the content has that size. */
function sized(bytes: Uint8Array, frame: ZstdFrame, size: number, { decompress }: Fzstd): Uint8Array {
  const { start, end, header, lastBlock, checksum, most } = frame;
  const other = `a Zstandard frame of another size than the ${size} bytes it says`;
  if (size > most) throw new Error(other);
  if (size > MOST) throw new Error(`a Zstandard frame of ${size} bytes, of which at most ${MOST} can be unpacked`);
  const blocks = bytes.subarray(start + header, checksum === null ? end : end - 4);
  const marked = Buffer.alloc(9 + blocks.length + 3 + MARK.length);
  // Magic word; one segment, whose size is in four bytes; no checksum.
  marked.writeUInt32LE(0xfd2fb528, 0);
  marked[4] = 0xa0;
  marked.writeUInt32LE(size + MARK.length, 5);
  marked.set(blocks, 9);
  marked[9 + lastBlock - start - header] &= ~1;
  marked[9 + blocks.length] = 1 | (MARK.length << 3);
  marked.set(MARK, 9 + blocks.length + 3);
  let content: Uint8Array;
  try {
    content = decompress(marked);
  } catch (error) {
    // No room for the mark, or for a block.
    throw error instanceof RangeError ? new Error(other, { cause: error }) : error;
  }
  if (content.length !== size + MARK.length || MARK.compare(content, size) !== 0) throw new Error(other);
  return content.slice(0, size);
}

/** A frame that does not, as those of writers that did not know it. */
function unsized(
  bytes: Uint8Array,
  { start, end, window }: ZstdFrame,
  { Decompress }: Fzstd,
  take: (length: number) => void,
): Uint8Array {
  if (window > LARGEST_WINDOW) throw new Error(`a Zstandard frame with a window of ${window} bytes`);
  const parts: Uint8Array[] = [];
  const decoder = new Decompress((part) => {
    take(part.length);
    parts.push(part);
  });
  decoder.push(bytes.subarray(start, end), true);
  return Uint8Array.from(Buffer.concat(parts));
}
