// The CPU engine's inner loop for linear policies, in AssemblyScript (compiled to WebAssembly SIMD by build.mjs).
//
// All arithmetic is f64, multiply then add, feature by feature in ascending order: bit for bit what the reference
// (src/policy/linear/cpu.ts) computes, two events to a SIMD register, four to a pass ("quad").
//
// Layout in the module's memory, addresses given by the caller:
//   x       contexts [quads][d][4] f64: feature j of the quad's four events side by side
//   w       weights  [K][d] f64 of one policy
//   list    candidate arms u32, ascending
//   choices chosen arm of each event [quads][4] u32

/** Writes the chosen arm of each event of quads from..to−1. `list` is ascending, and an equal score does not displace. */
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
