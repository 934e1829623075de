// The multiplier bootstrap on the CPU: sums over blocks of a policy's influence times a draw's multiplier, four policies and eight draws
// at a time, and of each draw the largest over all policies (src/estimate/selection/draws.ts says what they mean).
//
// Layout in the module's memory, addresses given by the caller:
//   multipliers  [groups of eight draws][pairs of blocks][8][2] i16
//   rows         influences [rows][pairs of blocks][2] i16; rows in fours
//   perSum       [rows] f32, offset [rows] i32, spread [rows] f32
//   twoSided, oneSided, most  running maxima [groups][8] f32; best [groups][8] u32 is the row of `most`
//   sums         of one group [rows][8] i32

/** @param first number of the first row. */
export function maxima(
  multipliers: usize,
  groups: i32,
  pairs: i32,
  rows: usize,
  rowCount: i32,
  first: u32,
  perSum: usize,
  offset: usize,
  spread: usize,
  twoSided: usize,
  oneSided: usize,
  most: usize,
  best: usize,
): void {
  const groupBytes = <usize>pairs << 5;
  const rowBytes = <usize>pairs << 2;
  for (let g = 0; g < groups; g++) {
    const from = multipliers + <usize>g * groupBytes;
    const end = from + groupBytes;
    const at = <usize>g << 5;
    let two0 = v128.load(twoSided + at);
    let two1 = v128.load(twoSided + at, 16);
    let one0 = v128.load(oneSided + at);
    let one1 = v128.load(oneSided + at, 16);
    let most0 = v128.load(most + at);
    let most1 = v128.load(most + at, 16);
    let best0 = v128.load(best + at);
    let best1 = v128.load(best + at, 16);
    for (let p = 0; p < rowCount; p += 4) {
      let row = rows + <usize>p * rowBytes;
      let a0 = i32x4.splat(0);
      let a1 = a0;
      let b0 = a0;
      let b1 = a0;
      let c0 = a0;
      let c1 = a0;
      let d0 = a0;
      let d1 = a0;
      for (let m = from; m < end; m += 32) {
        const m0 = v128.load(m);
        const m1 = v128.load(m, 16);
        const a = v128.load32_splat(row);
        const b = v128.load32_splat(row + rowBytes);
        const c = v128.load32_splat(row + rowBytes * 2);
        const d = v128.load32_splat(row + rowBytes * 3);
        a0 = i32x4.add(a0, i32x4.dot_i16x8_s(a, m0));
        a1 = i32x4.add(a1, i32x4.dot_i16x8_s(a, m1));
        b0 = i32x4.add(b0, i32x4.dot_i16x8_s(b, m0));
        b1 = i32x4.add(b1, i32x4.dot_i16x8_s(b, m1));
        c0 = i32x4.add(c0, i32x4.dot_i16x8_s(c, m0));
        c1 = i32x4.add(c1, i32x4.dot_i16x8_s(c, m1));
        d0 = i32x4.add(d0, i32x4.dot_i16x8_s(d, m0));
        d1 = i32x4.add(d1, i32x4.dot_i16x8_s(d, m1));
        row += 4;
      }
      for (let i = 0; i < 4; i++) {
        const sum0 = i == 0 ? a0 : i == 1 ? b0 : i == 2 ? c0 : d0;
        const sum1 = i == 0 ? a1 : i == 1 ? b1 : i == 2 ? c1 : d1;
        const own = <usize>(p + i) << 2;
        const scale = v128.load32_splat(perSum + own);
        const z0 = f32x4.mul(f32x4.convert_i32x4_s(sum0), scale);
        const z1 = f32x4.mul(f32x4.convert_i32x4_s(sum1), scale);
        two0 = f32x4.pmax(two0, f32x4.abs(z0));
        two1 = f32x4.pmax(two1, f32x4.abs(z1));
        one0 = f32x4.pmax(one0, z0);
        one1 = f32x4.pmax(one1, z1);
        const shift = v128.load32_splat(offset + own);
        const size = v128.load32_splat(spread + own);
        const value0 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.add(sum0, shift)), size);
        const value1 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.add(sum1, shift)), size);
        const index = i32x4.splat(first + <u32>(p + i));
        const larger0 = f32x4.gt(value0, most0);
        const larger1 = f32x4.gt(value1, most1);
        best0 = v128.bitselect(index, best0, larger0);
        best1 = v128.bitselect(index, best1, larger1);
        most0 = v128.bitselect(value0, most0, larger0);
        most1 = v128.bitselect(value1, most1, larger1);
      }
    }
    v128.store(twoSided + at, two0);
    v128.store(twoSided + at, two1, 16);
    v128.store(oneSided + at, one0);
    v128.store(oneSided + at, one1, 16);
    v128.store(most + at, most0);
    v128.store(most + at, most1, 16);
    v128.store(best + at, best0);
    v128.store(best + at, best1, 16);
  }
}

/** Sums of rows and the draws of one group. */
export function sumsOf(multipliers: usize, group: i32, pairs: i32, rows: usize, rowCount: i32, sums: usize): void {
  const groupBytes = <usize>pairs << 5;
  const from = multipliers + <usize>group * groupBytes;
  const end = from + groupBytes;
  let row = rows;
  for (let p = 0; p < rowCount; p++) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    for (let m = from; m < end; m += 32) {
      const a = v128.load32_splat(row);
      a0 = i32x4.add(a0, i32x4.dot_i16x8_s(a, v128.load(m)));
      a1 = i32x4.add(a1, i32x4.dot_i16x8_s(a, v128.load(m, 16)));
      row += 4;
    }
    v128.store(sums + (<usize>p << 5), a0);
    v128.store(sums + (<usize>p << 5), a1, 16);
  }
}
