/** How buffers of record batches are unpacked: apache-arrow has no codec of its own. */

import { lz4Frame } from './lz4-frame.js';

let registered: Promise<void> | null = null;

/** Registers LZ4 (what pandas and R write by default) and Zstandard with apache-arrow, once. */
export function registerCodecs(): Promise<void> {
  registered ??= register();
  return registered;
}

async function register(): Promise<void> {
  const [{ CompressionType, compressionRegistry }, { decompress }, { default: xxhash }] = await Promise.all([
    import('apache-arrow'),
    import('fzstd'),
    import('xxhash-wasm'),
  ]);
  const { h32Raw } = await xxhash();
  const set = (type: number, decode: (bytes: Uint8Array) => Uint8Array): void => {
    // One of the program's own stays.
    if (compressionRegistry.get(type)?.decode === undefined) compressionRegistry.set(type, { decode });
  };
  set(CompressionType.LZ4_FRAME, (bytes) => lz4Frame(bytes, (part) => h32Raw(part) >>> 0));
  // What the decoder gives lies anywhere in a buffer of its own; arrays of 64-bit numbers need a multiple of 8.
  set(CompressionType.ZSTD, (bytes) => decompress(bytes).slice());
}
