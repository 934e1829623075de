/** Unpacks LZ4 frames (LZ4 frame format 1.6), as Arrow packs its buffers by default. */

/** XXH32 of bytes, as an unsigned number. */
export type Xxh32 = (bytes: Uint8Array) => number;

const MAGIC = 0x184d2204;

/** Bytes of content that a frame has at most, as its blocks allow; 0 for what is no frame. */
export function lz4Bound(frame: Uint8Array): number {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 11 || view.getUint32(0, true) !== MAGIC) return 0;
  const largest = 2 ** (8 + 2 * ((frame[5] >> 4) & 7));
  const hasSize = (frame[4] & 8) !== 0;
  const checksum = (frame[4] & 0x10) !== 0 ? 4 : 0;
  let bound = 0;
  for (let at = hasSize ? 15 : 7; at + 4 <= frame.length; ) {
    const word = view.getUint32(at, true);
    const length = word & 0x7fffffff;
    if (word === 0) break;
    // A byte of a length stands for 255 bytes at most.
    bound += Math.min(largest, word >>> 31 === 1 ? length : 255 * length);
    at += 4 + length + checksum;
  }
  return bound;
}

/**
 * The content of one frame, checksums checked.
 *
 * @param most bytes of the content.
 * @throws Error that says what is wrong with the frame.
 */
export function lz4Frame(frame: Uint8Array, xxh32: Xxh32, most = Number.POSITIVE_INFINITY): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 11 || view.getUint32(0, true) !== MAGIC) throw new Error('not an LZ4 frame');
  const flags = frame[4];
  if (flags >> 6 !== 1) throw new Error(`an LZ4 frame of version ${flags >> 6}`);
  if ((flags & 1) !== 0) throw new Error('an LZ4 frame that needs a dictionary');
  const blockChecksums = (flags & 0x10) !== 0;
  const hasSize = (flags & 8) !== 0;
  const largest = 2 ** (8 + 2 * ((frame[5] >> 4) & 7));
  let at = 6 + (hasSize ? 8 : 0) + 1;
  const size = hasSize && frame.length >= 14 ? Number(view.getBigUint64(6, true)) : null;
  const need = (length: number): void => {
    if (at + length > frame.length) throw new Error('an LZ4 frame that ends too early');
  };
  const out = new Output(Math.min(size ?? frame.length * 3, most));
  for (;;) {
    need(4);
    const word = view.getUint32(at, true);
    at += 4;
    if (word === 0) break;
    const length = word & 0x7fffffff;
    if (length > largest) throw new Error('an LZ4 block larger than its frame allows');
    need(length + (blockChecksums ? 4 : 0));
    const block = frame.subarray(at, at + length);
    at += length;
    if (word >>> 31 === 1) out.append(block);
    else out.unpack(block, largest);
    if (out.size > most) throw new Error(`an LZ4 frame of more than the ${most} bytes that it is to have`);
    if (blockChecksums) {
      if (view.getUint32(at, true) !== xxh32(block)) throw new Error('an LZ4 block with another checksum');
      at += 4;
    }
  }
  const content = out.finish();
  if (size !== null && content.length !== size) throw new Error('an LZ4 frame of another size than it says');
  if ((flags & 4) !== 0) {
    need(4);
    if (view.getUint32(at, true) !== xxh32(content)) throw new Error('an LZ4 frame with another checksum');
  }
  return content;
}

/** The content so far, which blocks may refer back to. */
class Output {
  private bytes: Uint8Array;
  private length = 0;

  constructor(expected: number) {
    this.bytes = new Uint8Array(Math.min(expected, 1 << 26));
  }

  get size(): number {
    return this.length;
  }

  append(part: Uint8Array): void {
    this.reserve(part.length);
    this.bytes.set(part, this.length);
    this.length += part.length;
  }

  /** @param largest content that a block may have. */
  unpack(block: Uint8Array, largest: number): void {
    const limit = this.length + largest;
    let at = 0;
    const lengthFrom = (nibble: number): number => {
      let length = nibble;
      if (nibble === 15) {
        let byte: number;
        do {
          if (at >= block.length) throw new Error('an LZ4 block that ends too early');
          byte = block[at++];
          length += byte;
        } while (byte === 255);
      }
      return length;
    };
    while (at < block.length) {
      const token = block[at++];
      const literals = lengthFrom(token >> 4);
      if (at + literals > block.length) throw new Error('an LZ4 block that ends too early');
      if (this.length + literals > limit) throw new Error('an LZ4 block of more content than its frame allows');
      this.append(block.subarray(at, at + literals));
      at += literals;
      // The last sequence has no match.
      if (at === block.length) return;
      if (at + 2 > block.length) throw new Error('an LZ4 block that ends too early');
      const offset = block[at] | (block[at + 1] << 8);
      at += 2;
      const length = lengthFrom(token & 15) + 4;
      if (offset === 0 || offset > this.length) throw new Error('an LZ4 block that refers to what is not there');
      if (this.length + length > limit) throw new Error('an LZ4 block of more content than its frame allows');
      this.repeat(offset, length);
    }
  }

  finish(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  private repeat(offset: number, length: number): void {
    this.reserve(length);
    const { bytes } = this;
    let to = this.length;
    this.length += length;
    if (offset >= length) {
      bytes.copyWithin(to, to - offset, to - offset + length);
      return;
    }
    // What is copied may be what was just written.
    for (let from = to - offset; to < this.length; ) bytes[to++] = bytes[from++];
  }

  private reserve(length: number): void {
    if (this.length + length <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.length + length, this.bytes.length * 2, 1024));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}
