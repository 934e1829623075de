// The CPU engine's inner loops for linear policies, in AssemblyScript (compiled to WebAssembly SIMD by build.mjs).
//
// All arithmetic is f64, multiply then add, feature by feature in ascending order: bit for bit what the reference
// (src/policy/linear/cpu.ts) computes, two events to a SIMD register, four to a pass ("quad").
//
// Layout in the module's memory, addresses given by the caller:
//   x       contexts [quads][d][4] f64: feature j of the quad's four events side by side
//   w       weights  [K][d] f64 of one policy
//   list    candidate arms u32, in the order in which they are tried
//   logged  logged arm of each event u32; 0xffffffff pads a quad and never matches
//   matched slots of the events that match u32

const PAD: u32 = 0xffffffff;

/** Lanes in which an arm's score beats the logged arm's: larger, or equal at a lower index. */
@inline
function beats(score: v128, own: v128, arm: v128, logged: v128): v128 {
  return v128.or(f64x2.gt(score, own), v128.and(f64x2.eq(score, own), v128.gt<i64>(logged, arm)));
}

/**
 * Appends the matches of one policy over quads from..to−1 to the `matches` slots that `matched` holds, and returns how many
 * it holds then. An event is dropped as soon as every event of its
 * quad is beaten by some candidate, so arms that win often belong first in `list`; the result does not depend on it.
 * `list` is read in pairs: where its length is odd, the caller repeats an arm after the last one.
 */
export function matchQuads(x: usize, w: usize, d: i32, list: usize, listLength: i32, logged: usize, from: i32, to: i32, matched: usize, matches: u32): u32 {
  const rowBytes = <usize>d << 3;
  const quadBytes = <usize>d << 5;
  const listEnd = list + (<usize>listLength << 2);
  for (let q = from; q < to; q++) {
    const xq = x + <usize>q * quadBytes;
    const xEnd = xq + quadBytes;
    const armAt = logged + (<usize>q << 4);
    const a0 = load<u32>(armAt);
    const a1 = load<u32>(armAt, 4);
    const a2 = load<u32>(armAt, 8);
    const a3 = load<u32>(armAt, 12);
    // Scores of the logged arms; a pad reads arm 0's row, and is beaten from the start.
    let w0 = w + (a0 == PAD ? 0 : <usize>a0 * rowBytes);
    let w1 = w + (a1 == PAD ? 0 : <usize>a1 * rowBytes);
    let w2 = w + (a2 == PAD ? 0 : <usize>a2 * rowBytes);
    let w3 = w + (a3 == PAD ? 0 : <usize>a3 * rowBytes);
    let own01 = f64x2.splat(0);
    let own23 = f64x2.splat(0);
    for (let at = xq; at < xEnd; at += 32) {
      const v01 = v128.load64_lane(w1, v128.load64_zero(w0), 1);
      const v23 = v128.load64_lane(w3, v128.load64_zero(w2), 1);
      own01 = f64x2.add(own01, f64x2.mul(v01, v128.load(at)));
      own23 = f64x2.add(own23, f64x2.mul(v23, v128.load(at, 16)));
      w0 += 8;
      w1 += 8;
      w2 += 8;
      w3 += 8;
    }
    const logged01 = v128.replace_lane<i64>(i64x2.splat(<i64>(<u64>a0)), 1, <i64>(<u64>a1));
    const logged23 = v128.replace_lane<i64>(i64x2.splat(<i64>(<u64>a2)), 1, <i64>(<u64>a3));
    const pad = i64x2.splat(<i64>(<u64>PAD));
    let beaten01 = i64x2.eq(logged01, pad);
    let beaten23 = i64x2.eq(logged23, pad);
    // Two arms to a pass share the loads of the contexts.
    for (let l = list; l < listEnd; l += 8) {
      const armA = load<u32>(l);
      const armB = load<u32>(l, 4);
      let rowA = w + <usize>armA * rowBytes;
      let rowB = w + <usize>armB * rowBytes;
      let sA01 = f64x2.splat(0);
      let sA23 = sA01;
      let sB01 = sA01;
      let sB23 = sA01;
      for (let at = xq; at < xEnd; at += 32) {
        const x01 = v128.load(at);
        const x23 = v128.load(at, 16);
        const vA = v128.load64_splat(rowA);
        const vB = v128.load64_splat(rowB);
        sA01 = f64x2.add(sA01, f64x2.mul(vA, x01));
        sA23 = f64x2.add(sA23, f64x2.mul(vA, x23));
        sB01 = f64x2.add(sB01, f64x2.mul(vB, x01));
        sB23 = f64x2.add(sB23, f64x2.mul(vB, x23));
        rowA += 8;
        rowB += 8;
      }
      const a = i64x2.splat(<i64>(<u64>armA));
      const b = i64x2.splat(<i64>(<u64>armB));
      beaten01 = v128.or(beaten01, v128.or(beats(sA01, own01, a, logged01), beats(sB01, own01, b, logged01)));
      beaten23 = v128.or(beaten23, v128.or(beats(sA23, own23, a, logged23), beats(sB23, own23, b, logged23)));
      if (i64x2.all_true(v128.and(beaten01, beaten23))) break;
    }
    const beaten = i64x2.bitmask(beaten01) | (i64x2.bitmask(beaten23) << 2);
    if (beaten == 15) continue;
    for (let lane = 0; lane < 4; lane++) {
      if ((beaten >> lane) & 1) continue;
      store<u32>(matched + (<usize>matches << 2), (q << 2) + lane);
      matches++;
    }
  }
  return matches;
}

/** Writes the chosen arm of each event of quads from..to−1. `list` must be ascending: an equal score does not displace. */
export function chooseQuads(x: usize, w: usize, d: i32, list: usize, listLength: i32, from: i32, to: i32, choices: usize): void {
  const rowBytes = <usize>d << 3;
  const quadBytes = <usize>d << 5;
  const listEnd = list + (<usize>listLength << 2);
  for (let q = from; q < to; q++) {
    const xq = x + <usize>q * quadBytes;
    const xEnd = xq + quadBytes;
    let best01 = f64x2.splat(-Infinity);
    let best23 = f64x2.splat(-Infinity);
    // As in the reference: scores that are all NaN or −∞ leave the first candidate.
    let arm01 = i64x2.splat(<i64>(<u64>load<u32>(list)));
    let arm23 = arm01;
    for (let l = list; l < listEnd; l += 4) {
      const arm = load<u32>(l);
      let row = w + <usize>arm * rowBytes;
      let s01 = f64x2.splat(0);
      let s23 = f64x2.splat(0);
      for (let at = xq; at < xEnd; at += 32) {
        const v = v128.load64_splat(row);
        s01 = f64x2.add(s01, f64x2.mul(v, v128.load(at)));
        s23 = f64x2.add(s23, f64x2.mul(v, v128.load(at, 16)));
        row += 8;
      }
      const index = i64x2.splat(<i64>(<u64>arm));
      const more01 = f64x2.gt(s01, best01);
      const more23 = f64x2.gt(s23, best23);
      best01 = v128.bitselect(s01, best01, more01);
      best23 = v128.bitselect(s23, best23, more23);
      arm01 = v128.bitselect(index, arm01, more01);
      arm23 = v128.bitselect(index, arm23, more23);
    }
    const out = choices + (<usize>q << 4);
    store<u32>(out, <u32>v128.extract_lane<i64>(arm01, 0));
    store<u32>(out, <u32>v128.extract_lane<i64>(arm01, 1), 4);
    store<u32>(out, <u32>v128.extract_lane<i64>(arm23, 0), 8);
    store<u32>(out, <u32>v128.extract_lane<i64>(arm23, 1), 12);
  }
}
