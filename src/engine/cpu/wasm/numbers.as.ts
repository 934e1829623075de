// What kernels over groups of events add up for an event that matches: beside each slot lie a 1, the numbers of its sum columns and those
// of its maxima, padded with a zero to pairs each, [slots][2 · pairs] u32; what they come to is [2 · pairs] u64.

export let words: usize;
export let pairs: usize;
let sumPairs: usize;

/** Sets where the numbers of slots lie, and how many pairs of sums there are, and of sums and maxima. */
export function placeNumbers(wordsAt: usize, pairsOfSums: i32, pairsOfAll: i32): void {
  words = wordsAt;
  sumPairs = <usize>pairsOfSums;
  pairs = <usize>pairsOfAll;
}

/** Adds the numbers from `word` on to what lies at `at`. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function addNumbers(word: usize, at: usize): void {
  let n: usize = 0;
  for (; n < sumPairs; n++) {
    v128.store(at, i64x2.add(v128.load(at), v128.load32x2_u(word)));
    at += 16;
    word += 8;
  }
  for (; n < pairs; n++) {
    store<u64>(at, max<u64>(load<u64>(at), <u64>load<u32>(word)));
    store<u64>(at, max<u64>(load<u64>(at, 8), <u64>load<u32>(word, 4)), 8);
    at += 16;
    word += 8;
  }
}

/** Lanes of quad q that hold something, where there are `count` things in all. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function lanesOf(q: u32, count: u32): v128 {
  return i32x4.gt_s(i32x4.splat(<i32>count - <i32>(q << 2)), i32x4(0, 1, 2, 3));
}

/** Sixteen lanes as bits, of four quads. */
// @ts-ignore: a decorator of AssemblyScript
@inline
export function bitsOf(a: v128, b: v128, c: v128, e: v128): i32 {
  return i32x4.bitmask(a) | (i32x4.bitmask(b) << 4) | (i32x4.bitmask(c) << 8) | (i32x4.bitmask(e) << 12);
}
