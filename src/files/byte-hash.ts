/** XXH64, of bytes that come one after the other. */

import xxhash from 'xxhash-wasm';

/** A file, as it was when it was read. */
export interface FileHash {
  readonly bytes: number;
  /** 16 hexadecimal digits. */
  readonly xxh64: string;
}

/** The hasher keeps room for the largest piece that it was given. */
const PIECE = 2 ** 20;

const encoder = new TextEncoder();

export class ByteHash {
  private bytes = 0;

  private constructor(private readonly hash: { update(part: Uint8Array): unknown; digest(): bigint }) {}

  static async begin(): Promise<ByteHash> {
    return new ByteHash((await xxhash()).create64());
  }

  /** @param part text: as UTF-8. */
  add(part: Uint8Array | string): this {
    if (typeof part === 'string') return this.add(encoder.encode(part));
    this.bytes += part.length;
    for (let at = 0; at < part.length; at += PIECE) this.hash.update(part.subarray(at, at + PIECE));
    return this;
  }

  end(): FileHash {
    return { bytes: this.bytes, xxh64: this.hash.digest().toString(16).padStart(16, '0') };
  }
}
