/** Threefry-2x32-20 as the paper states it, on BigInt, and the draws of a thinning: a second implementation, which shares nothing with the first. */

const MASK = 0xffffffffn;
const ROTATIONS = [13n, 15n, 26n, 6n, 17n, 29n, 16n, 24n];

function encrypt(key: readonly [number, number], counter: readonly [number, number]): [bigint, bigint] {
  const k = [BigInt(key[0]), BigInt(key[1]), 0x1bd11bdan ^ BigInt(key[0]) ^ BigInt(key[1])];
  let x0 = (BigInt(counter[0]) + k[0]) & MASK;
  let x1 = (BigInt(counter[1]) + k[1]) & MASK;
  for (let round = 0; round < 20; round++) {
    const turn = ROTATIONS[round % 8];
    x0 = (x0 + x1) & MASK;
    x1 = (((x1 << turn) | (x1 >> (32n - turn))) & MASK) ^ x0;
    if (round % 4 !== 3) continue;
    const group = (round + 1) / 4;
    x0 = (x0 + k[group % 3]) & MASK;
    x1 = (x1 + k[(group + 1) % 3] + BigInt(group)) & MASK;
  }
  return [x0, x1];
}

/** The stream that thinning draws from. */
const STREAM = 7;

/** u_t: the upper 27 bits of the first word and the upper 26 of the second. */
function drawOf(seed: number, event: number): number {
  const [x0, x1] = encrypt([seed, STREAM], [event, 0]);
  return Number(((x0 >> 5n) << 26n) | (x1 >> 6n)) / 2 ** 53;
}

/** Events that a thinning keeps, by the formula. @param candidates |A_t|. @param propensities p_t. @param least κ. */
export function keptBy(
  candidates: readonly number[],
  propensities: readonly number[],
  least: number,
  seed: number,
): number[] {
  return propensities.flatMap((p, t) => (drawOf(seed, t) < least / (candidates[t] * p) ? [t] : []));
}
