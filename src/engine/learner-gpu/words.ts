/** Numbers as the shaders' words. */

const word = new DataView(new ArrayBuffer(4));

/** Bits of the nearest f32. */
export function floatWord(x: number): number {
  word.setFloat32(0, x);
  return word.getUint32(0);
}

/** Words as f32, where they lie: states have millions, of which a copy one by one took longer than to replay. */
export function floatsOf({ buffer, byteOffset, length }: Uint32Array): Float32Array {
  return new Float32Array(buffer, byteOffset, length);
}

/** x as the sum of two f32 (shaders/lib/pair.wgsl): 48 bits of it. */
export function pairWords(x: number): [high: number, low: number] {
  const high = Math.fround(x);
  return [floatWord(high), floatWord(x - high)];
}

/** A whole number below 2⁶⁴ as (low, high). */
export function wideWords(x: number): [low: number, high: number] {
  return [x % 4294967296, Math.floor(x / 4294967296)];
}
