/**
 * The frames of a Zstandard file (RFC 8878): where each begins and ends, told from the sizes that blocks announce, so
 * that nothing is unpacked. DuckDB reads the rows of a file that is cut off and reports nothing; this finds the cut.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A frame with data; those that are skipped are left out. */
export interface ZstdFrame {
  /** First byte, and the one after the last (checksum included). */
  readonly start: number;
  readonly end: number;
  /** False for the part of a frame before the end of a file, or before a block that makes no sense. */
  readonly whole: boolean;
  /** Bytes of history that unpacking needs. */
  readonly window: number;
  /** Bytes of content; `null` where the frame does not say. */
  readonly size: number | null;
  /** Bytes of content at most, by its blocks, and the byte where the last of these begins. */
  readonly most: number;
  readonly lastBlock: number;
  /** Bytes of its header. */
  readonly header: number;
  /** Low 32 bits of the XXH64 of the content; `null` where there is none, or the frame is broken. */
  readonly checksum: number | null;
}

/** The frames up to the end of a file, or to where it stops making sense: the last frame is then a part. */
export interface ZstdFrames {
  readonly frames: readonly ZstdFrame[];
  readonly fault: { readonly cut: boolean; readonly got: string } | null;
}

const MAGIC = 0xfd2fb528;

const LARGEST_HEADER = 18;

/** Bytes that a block may stand for. */
const LARGEST_BLOCK = 131072;

/** True where a file begins with a frame, or one to be skipped. */
export function isZstd(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && isMagic(new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true));
}

function isMagic(magic: number): boolean {
  return magic === MAGIC || magic >>> 4 === 0x184d2a5;
}

/** Walks from block to block: a few bytes of each are read. */
export function zstdFrames(file: string): ZstdFrames {
  const handle = openSync(file, 'r');
  try {
    return walked(fstatSync(handle).size, (into, offset, length, at) => readSync(handle, into, offset, length, at));
  } finally {
    closeSync(handle);
  }
}

/** The same of bytes in memory. */
export function zstdFramesOf(bytes: Uint8Array): ZstdFrames {
  return walked(bytes.length, (into, offset, length, at) => {
    into.set(bytes.subarray(at, at + length), offset);
    return length;
  });
}

/** Reads bytes that are there. @returns how many it read; 0: none. */
type Read = (into: Uint8Array, offset: number, length: number, at: number) => number;

function walked(size: number, read: Read): ZstdFrames {
  const walk = new Walk(read, size);
  const frames: ZstdFrame[] = [];
  try {
    while (walk.at < size) walk.frame(frames);
    return { frames, fault: null };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { frames, fault: { cut: error.cut, got: error.message } };
  }
}

class Broken extends Error {
  constructor(
    message: string,
    readonly cut = false,
  ) {
    super(message);
  }
}

class Walk {
  at = 0;
  private readonly bytes = new Uint8Array(LARGEST_HEADER);
  private readonly view = new DataView(this.bytes.buffer);

  constructor(
    private readonly read: Read,
    private readonly size: number,
  ) {}

  /** Takes the frame here, whole or, before it throws, as far as it goes. */
  frame(frames: ZstdFrame[]): void {
    const start = this.at;
    const magic = this.need(4, start).getUint32(0, true);
    if (!isMagic(magic)) throw new Broken(`bytes that belong to no frame, from byte ${start} on`);
    if (magic !== MAGIC) {
      this.skip(8 + this.need(8, start).getUint32(4, true), start);
      return;
    }
    const { window, size, checked, header } = this.header(start);
    let last = false;
    let most = 0;
    let lastBlock = start;
    try {
      this.skip(header, start);
      while (!last) {
        lastBlock = this.at;
        const block = this.block(start);
        last = block.last;
        most += block.most;
      }
      const checksum = checked ? this.need(4, start).getUint32(0, true) : null;
      if (checked) this.skip(4, start);
      frames.push({ start, end: this.at, whole: true, window, size, most, lastBlock, header, checksum });
    } catch (error) {
      const end = Math.min(this.size, this.at);
      frames.push({ start, end, whole: false, window, size: null, most, lastBlock, header, checksum: null });
      throw error;
    }
  }

  private header(start: number): { window: number; size: number | null; checked: boolean; header: number } {
    const flags = this.need(5, start).getUint8(4);
    const single = (flags & 0x20) !== 0;
    const idBytes = [0, 1, 2, 4][flags & 3];
    const sizeBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6];
    const header = 5 + (single ? 0 : 1) + idBytes + sizeBytes;
    const view = this.need(header, start);
    if ((flags & 8) !== 0) throw new Broken(`a frame header with the reserved bit, at byte ${start}`);
    const at = header - sizeBytes;
    for (let i = at - idBytes; i < at; i++)
      if (view.getUint8(i) !== 0) throw new Broken(`a frame that needs a dictionary, at byte ${start}`);
    const size =
      sizeBytes === 0
        ? null
        : sizeBytes === 1
          ? view.getUint8(at)
          : sizeBytes === 2
            ? view.getUint16(at, true) + 256
            : sizeBytes === 4
              ? view.getUint32(at, true)
              : Number(view.getBigUint64(at, true));
    const descriptor = view.getUint8(5);
    const base = 2 ** (10 + (descriptor >> 3));
    const window = single ? (size ?? 0) : base + (base / 8) * (descriptor & 7);
    return { window, size, checked: (flags & 4) !== 0, header };
  }

  /** @returns whether it is the last one of its frame, and the bytes that it stands for at most. */
  private block(start: number): { last: boolean; most: number } {
    const view = this.need(3, start);
    const word = view.getUint16(0, true) | (view.getUint8(2) << 16);
    const kind = (word >> 1) & 3;
    if (word >>> 3 > LARGEST_BLOCK) throw new Broken(`a block of more than 128 KiB, at byte ${this.at}`);
    if (kind === 3) throw new Broken(`a block of an unknown kind, at byte ${this.at}`);
    this.skip(3 + (kind === 1 ? 1 : word >>> 3), start);
    return { last: (word & 1) === 1, most: kind === 2 ? LARGEST_BLOCK : word >>> 3 };
  }

  /** The next bytes, which stay unread. */
  private need(length: number, start: number): DataView {
    if (this.at + length > this.size) throw this.cut(start);
    for (let got = 0; got < length; ) {
      const read = this.read(this.bytes, got, length - got, this.at + got);
      if (read === 0) throw this.cut(start);
      got += read;
    }
    return this.view;
  }

  private skip(length: number, start: number): void {
    this.at += length;
    if (this.at > this.size) throw this.cut(start);
  }

  private cut(start: number): Broken {
    return new Broken(`the file ends at byte ${this.size}, within the frame that begins at byte ${start}`, true);
  }
}
