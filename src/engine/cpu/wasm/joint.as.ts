// The CPU engine's exact scores of joint-linear policies, in AssemblyScript (compiled to WebAssembly SIMD by build.mjs).
//
// All arithmetic is f64, multiply then add, component by component in ascending order: bit for bit what the reference
// (src/policy/joint/cpu.ts) computes. Eight items, an item being a candidate of an event, and two policies to a pass.
//
// Layout in the module's memory, addresses given by the caller:
//   phi     components [groups][D][8] f64: component k of a group's eight items side by side
//   w       weights [2][D] f64 of two policies
//   scores  [2][groups][8] f64

export function scoreItems(phi: usize, w: usize, d: i32, groups: i32, scores: usize): void {
  const rowBytes = <usize>d << 3;
  const second = scores + (<usize>groups << 6);
  let at = phi;
  for (let g = 0; g < groups; g++) {
    let a01 = f64x2.splat(0);
    let a23 = a01;
    let a45 = a01;
    let a67 = a01;
    let b01 = a01;
    let b23 = a01;
    let b45 = a01;
    let b67 = a01;
    const end = at + (rowBytes << 3);
    let wk = w;
    for (; at < end; at += 64) {
      const f01 = v128.load(at);
      const f23 = v128.load(at, 16);
      const f45 = v128.load(at, 32);
      const f67 = v128.load(at, 48);
      const wa = v128.load64_splat(wk);
      const wb = v128.load64_splat(wk + rowBytes);
      a01 = f64x2.add(a01, f64x2.mul(wa, f01));
      a23 = f64x2.add(a23, f64x2.mul(wa, f23));
      a45 = f64x2.add(a45, f64x2.mul(wa, f45));
      a67 = f64x2.add(a67, f64x2.mul(wa, f67));
      b01 = f64x2.add(b01, f64x2.mul(wb, f01));
      b23 = f64x2.add(b23, f64x2.mul(wb, f23));
      b45 = f64x2.add(b45, f64x2.mul(wb, f45));
      b67 = f64x2.add(b67, f64x2.mul(wb, f67));
      wk += 8;
    }
    const first = scores + (<usize>g << 6);
    v128.store(first, a01);
    v128.store(first, a23, 16);
    v128.store(first, a45, 32);
    v128.store(first, a67, 48);
    const other = second + (<usize>g << 6);
    v128.store(other, b01);
    v128.store(other, b23, 16);
    v128.store(other, b45, 32);
    v128.store(other, b67, 48);
  }
}
