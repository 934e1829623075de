/** XXH64 of files, as `xxhsum -H64` tells it: of the bytes that a reader goes through anyway, where it goes through all. */

import { createReadStream } from 'node:fs';
import { ByteHash, type FileHash } from './byte-hash.js';

/** The hash of a file that is being read, maybe more than once. */
export class FileDigest {
  private known: FileHash | null = null;

  constructor(private readonly file: string) {}

  /** A pass over the file from its first byte; `null` where its hash is known. It counts when it is told that it is over. */
  async begin(): Promise<DigestPass | null> {
    if (this.known !== null) return null;
    const hash = await ByteHash.begin();
    return {
      add: (bytes) => void hash.add(bytes),
      end: () => {
        this.known = hash.end();
      },
    };
  }

  /** @throws the file system's error where no pass came to its end, and the file cannot be read now. */
  async finish(): Promise<FileHash> {
    return this.known ?? hashOf(this.file);
  }
}

/** Bytes read at a time. */
const PIECE = 2 ** 20;

export interface DigestPass {
  add(bytes: Uint8Array): void;
  /** That was the last byte. */
  end(): void;
}

/** Reads a file for its hash alone. @throws the file system's error. */
export async function hashOf(file: string): Promise<FileHash> {
  const hash = await ByteHash.begin();
  for await (const part of createReadStream(file, { highWaterMark: PIECE })) hash.add(part as Buffer);
  return hash.end();
}

/** Of bytes that are in memory. */
export async function hashOfBytes(bytes: Uint8Array): Promise<FileHash> {
  return (await ByteHash.begin()).add(bytes).end();
}
