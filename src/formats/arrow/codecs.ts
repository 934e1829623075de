/** How buffers of record batches are unpacked: apache-arrow has no codec of its own. */

import { lz4Frame } from './lz4-frame.js';
import { zstdBuffer } from './zstd-buffer.js';

let registered: Promise<void> | null = null;

/** Registers LZ4 (what pandas and R write by default) and Zstandard with apache-arrow, once. */
export function registerCodecs(): Promise<void> {
  registered ??= register();
  return registered;
}

async function register(): Promise<void> {
  const [{ CompressionType, compressionRegistry }, fzstd, { default: xxhash }] = await Promise.all([
    import('apache-arrow'),
    import('fzstd'),
    import('xxhash-wasm'),
  ]);
  const { h32Raw, h64Raw } = await xxhash();
  const set = (type: number, decode: (bytes: Uint8Array, most: number) => Uint8Array): void => {
    // One of the program's own stays.
    if (compressionRegistry.get(type)?.decode !== undefined) return;
    compressionRegistry.set(type, { decode: (bytes) => ofSaidSize(bytes, decode) });
  };
  set(CompressionType.LZ4_FRAME, (bytes, most) => lz4Frame(bytes, (part) => h32Raw(part) >>> 0, most));
  set(CompressionType.ZSTD, (bytes, most) => zstdBuffer(bytes, fzstd, (part) => h64Raw(part), most));
}

/** What a packed buffer says before it that it unpacks to; `null` where that is its packed size, as apache-arrow writes. */
export function saidSize(said: bigint, packed: number): number | null {
  return said === BigInt(packed) ? null : Number(said);
}

/** @throws Error where it unpacks to another size than stands before it. */
function ofSaidSize(packed: Uint8Array, decode: (bytes: Uint8Array, most: number) => Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = packed;
  if (byteOffset < 8) throw new Error('a packed buffer without its size');
  const said = saidSize(new DataView(buffer, byteOffset - 8, 8).getBigInt64(0, true), length);
  const content = decode(packed, said ?? Number.POSITIVE_INFINITY);
  if (said === null || said === content.length) return content;
  throw new Error(`a packed buffer of ${content.length} bytes, where ${said} stand before it`);
}
