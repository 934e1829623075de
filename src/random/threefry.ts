/**
 * Threefry-2x32-20: the counter-based generator behind every random draw.
 *
 * Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011); the same
 * generator as JAX's. Key = (seed, stream), counter = (event index, replica), so a draw depends on
 * neither batching, order, device nor threads. In WGSL: `shaders/lib/threefry.wgsl`.
 */

const PARITY = 0x1bd11bda;

/** Streams keep draws for different purposes independent under one seed. */
export const STREAM = {
  subsample: 1,
  ties: 2,
  exploration: 3,
  simulation: 4,
  bootstrap: 5,
  uniformPolicy: 6,
  thinning: 7,
  multipliers: 8,
} as const;

/** Encrypts counter (c0, c1) under key (k0, k1); writes two u32 into `out[0..1]`. All inputs are taken modulo 2³². */
export function threefry2x32(k0: number, k1: number, c0: number, c1: number, out: Uint32Array): void {
  const k2 = PARITY ^ k0 ^ k1;
  let x0 = (c0 + k0) | 0;
  let x1 = (c1 + k1) | 0;
  // Five groups of four rounds, written out because this is the innermost loop of every simulation; rotations
  // alternate between (13, 15, 26, 6) and (17, 29, 16, 24), and a rotated key is added after each group.
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 13) | (x1 >>> 19)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 15) | (x1 >>> 17)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 26) | (x1 >>> 6)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 6) | (x1 >>> 26)) ^ x0;
  x0 = (x0 + k1) | 0;
  x1 = (x1 + k2 + 1) | 0;

  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 17) | (x1 >>> 15)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 29) | (x1 >>> 3)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 16) | (x1 >>> 16)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 24) | (x1 >>> 8)) ^ x0;
  x0 = (x0 + k2) | 0;
  x1 = (x1 + k0 + 2) | 0;

  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 13) | (x1 >>> 19)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 15) | (x1 >>> 17)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 26) | (x1 >>> 6)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 6) | (x1 >>> 26)) ^ x0;
  x0 = (x0 + k0) | 0;
  x1 = (x1 + k1 + 3) | 0;

  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 17) | (x1 >>> 15)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 29) | (x1 >>> 3)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 16) | (x1 >>> 16)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 24) | (x1 >>> 8)) ^ x0;
  x0 = (x0 + k1) | 0;
  x1 = (x1 + k2 + 4) | 0;

  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 13) | (x1 >>> 19)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 15) | (x1 >>> 17)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 26) | (x1 >>> 6)) ^ x0;
  x0 = (x0 + x1) | 0;
  x1 = ((x1 << 6) | (x1 >>> 26)) ^ x0;
  out[0] = x0 + k2;
  out[1] = x1 + k0 + 5;
}

/** ⌊u · n / 2³²⌋ for u32 u and n: the index in 0..n−1 that a uniform draw u selects. Exact, as in WGSL. */
export function scaleToIndex(u: number, n: number): number {
  // Split u so that every partial product stays below 2⁵³.
  const high = u >>> 16;
  const low = u & 0xffff;
  return Math.floor((high * n + Math.floor((low * n) / 65536)) / 65536);
}

/** Two draws as one f64 in [0, 1) with 53 random bits. */
export function toUnit(u0: number, u1: number): number {
  return ((u0 >>> 5) * 67108864 + (u1 >>> 6)) / 9007199254740992;
}
