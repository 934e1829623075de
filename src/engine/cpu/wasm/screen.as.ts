// The CPU engine's first pass over scored policies: f32, four cells to a SIMD register, with the proved error bound of
// src/policy/screen.ts. What it cannot prove it reports, and the caller decides in f64.
//
// Layout in the module's memory, addresses given by the caller:
//   y         inputs [quads][d][4] f32
//   errors    error factor of each cell [quads][4] f32; bound = factor · norm + slack
//   w         weights [rows][d] f32 of one policy; norm is the largest of its rows
//   list      candidate rows u32; for matches in the order in which they are tried, read in pairs
//   runs      (logged row, first quad, last quad + 1) u32: all cells of a run were logged with one row
//   present   0xffffffff for each cell, 0 in padding, [quads][4] u32
//   matched   slots that are proved to match u32
//   choices   row of the largest score [quads][4] u32
//   doubtful  slots that could not be decided u32
//   counts    how many slots lie in `matched` and in `doubtful` u32
//   logged    row that was logged of each cell [quads][4] u32
//   tables    four numbers of each cell and row [quads][4][rows][4] u32
//   sums      of those of the chosen rows, of proved choices [4] u64

/**
 * Appends the proved matches of one policy to `matched`, and to `doubtful` the slots that are neither proved to match nor
 * proved not to.
 *
 * @returns false where `doubtful` would hold more than `capacity`: then both lists are incomplete.
 */
export function screenRuns(
  y: usize,
  errors: usize,
  w: usize,
  d: i32,
  norm: f32,
  slack: f32,
  list: usize,
  listLength: i32,
  runs: usize,
  runCount: i32,
  present: usize,
  matched: usize,
  doubtful: usize,
  capacity: u32,
  counts: usize,
): bool {
  const rowBytes = <usize>d << 2;
  const quadBytes = <usize>d << 4;
  const listEnd = list + (<usize>listLength << 2);
  let matches = load<u32>(counts);
  let doubts = load<u32>(counts, 4);
  for (let r = 0; r < runCount; r++) {
    const run = runs + <usize>r * 12;
    const ownRow = w + <usize>load<u32>(run) * rowBytes;
    const to = load<u32>(run, 8);
    for (let q = load<u32>(run, 4); q < to; q++) {
      const yq = y + <usize>q * quadBytes;
      const yEnd = yq + quadBytes;
      const yPairs = yq + (<usize>(d & ~1) << 4);
      let own = f32x4.splat(0);
      let row = ownRow;
      for (let at = yq; at < yEnd; at += 16) {
        own = f32x4.add(own, f32x4.mul(v128.load32_splat(row), v128.load(at)));
        row += 4;
      }
      const lane = <usize>q << 4;
      const bound = f32x4.add(f32x4.mul(v128.load(errors + lane), f32x4.splat(norm)), f32x4.splat(slack));
      const above = f32x4.add(own, bound);
      const below = f32x4.sub(own, bound);
      let alive = v128.load(present + lane);
      let near = i32x4.splat(0);
      let nearTwice = near;
      for (let l = list; l < listEnd; l += 8) {
        let rowA = w + <usize>load<u32>(l) * rowBytes;
        let rowB = w + <usize>load<u32>(l, 4) * rowBytes;
        let a = f32x4.splat(0);
        let b = a;
        let at = yq;
        // Two features to a round save loop overhead.
        for (; at < yPairs; at += 32) {
          const v = v128.load(at);
          const u = v128.load(at, 16);
          a = f32x4.add(a, f32x4.mul(v128.load32_splat(rowA), v));
          b = f32x4.add(b, f32x4.mul(v128.load32_splat(rowB), v));
          a = f32x4.add(a, f32x4.mul(v128.load32_splat(rowA, 4), u));
          b = f32x4.add(b, f32x4.mul(v128.load32_splat(rowB, 4), u));
          rowA += 8;
          rowB += 8;
        }
        if (at < yEnd) {
          const v = v128.load(at);
          a = f32x4.add(a, f32x4.mul(v128.load32_splat(rowA), v));
          b = f32x4.add(b, f32x4.mul(v128.load32_splat(rowB), v));
        }
        alive = v128.andnot(alive, v128.or(f32x4.gt(a, above), f32x4.gt(b, above)));
        // The logged arm is near itself; a second arm that is makes the decision doubtful.
        const nearA = f32x4.ge(a, below);
        const nearB = f32x4.ge(b, below);
        nearTwice = v128.or(nearTwice, v128.or(v128.and(near, v128.or(nearA, nearB)), v128.and(nearA, nearB)));
        near = v128.or(near, v128.or(nearA, nearB));
        if (!v128.any_true(alive)) break;
      }
      let bits = i32x4.bitmask(alive);
      if (bits == 0) continue;
      const unsure = i32x4.bitmask(nearTwice);
      for (; bits != 0; bits &= bits - 1) {
        const slot = (q << 2) + <u32>ctz(bits);
        if ((unsure >> ctz(bits)) & 1) {
          if (doubts == capacity) return false;
          store<u32>(doubtful + (<usize>doubts << 2), slot);
          doubts++;
        } else {
          store<u32>(matched + (<usize>matches << 2), slot);
          matches++;
        }
      }
    }
  }
  store<u32>(counts, matches);
  store<u32>(counts, doubts, 4);
  return true;
}

/**
 * Finds the row with the largest score of each cell of quads from..to−1 and appends the slots where another row comes within the
 * bound to `doubtful`. The others are written to `choices`; or, with `tables`, their numbers are added to `sums`, and the slots that
 * chose what was logged are appended to `matched`.
 *
 * @returns false where `doubtful` would hold more than `capacity`.
 */
export function chooseRuns(
  y: usize,
  errors: usize,
  w: usize,
  d: i32,
  norm: f32,
  slack: f32,
  list: usize,
  listLength: i32,
  from: i32,
  to: i32,
  present: usize,
  choices: usize,
  doubtful: usize,
  capacity: u32,
  counts: usize,
  tables: usize,
  rows: i32,
  logged: usize,
  matched: usize,
  sums: usize,
): bool {
  const rowBytes = <usize>d << 2;
  const quadBytes = <usize>d << 4;
  const listEnd = list + (<usize>listLength << 2);
  const pairsEnd = list + (<usize>(listLength & ~1) << 2);
  let doubts = load<u32>(counts, 4);
  let matches = load<u32>(counts);
  const cellBytes = <usize>rows << 4;
  let low = i64x2.splat(0);
  let high = low;
  for (let q = from; q < to; q++) {
    const yq = y + <usize>q * quadBytes;
    const yEnd = yq + quadBytes;
    const yPairs = yq + (<usize>(d & ~1) << 4);
    // All scores are finite: norms are bounded. So pmax and pmin, one instruction each, are the maximum and minimum.
    let best = f32x4.splat(-Infinity);
    let second = best;
    let choice = i32x4.splat(0);
    let l = list;
    for (; l < pairsEnd; l += 8) {
      const indexA = load<u32>(l);
      const indexB = load<u32>(l, 4);
      let rowA = w + <usize>indexA * rowBytes;
      let rowB = w + <usize>indexB * rowBytes;
      let a = f32x4.splat(0);
      let b = a;
      let at = yq;
      for (; at < yPairs; at += 32) {
        const v = v128.load(at);
        const u = v128.load(at, 16);
        a = f32x4.add(a, f32x4.mul(v128.load32_splat(rowA), v));
        b = f32x4.add(b, f32x4.mul(v128.load32_splat(rowB), v));
        a = f32x4.add(a, f32x4.mul(v128.load32_splat(rowA, 4), u));
        b = f32x4.add(b, f32x4.mul(v128.load32_splat(rowB, 4), u));
        rowA += 8;
        rowB += 8;
      }
      if (at < yEnd) {
        const v = v128.load(at);
        a = f32x4.add(a, f32x4.mul(v128.load32_splat(rowA), v));
        b = f32x4.add(b, f32x4.mul(v128.load32_splat(rowB), v));
      }
      const larger = v128.bitselect(i32x4.splat(indexB), i32x4.splat(indexA), f32x4.gt(b, a));
      const high = f32x4.pmax(a, b);
      const more = f32x4.gt(high, best);
      // Of four numbers in two ordered pairs: the second is the lesser of the two first, or one of the two seconds.
      second = f32x4.pmax(f32x4.pmin(high, best), f32x4.pmax(second, f32x4.pmin(a, b)));
      best = f32x4.pmax(best, high);
      choice = v128.bitselect(larger, choice, more);
    }
    if (l < listEnd) {
      const index = load<u32>(l);
      let row = w + <usize>index * rowBytes;
      let s = f32x4.splat(0);
      for (let at = yq; at < yEnd; at += 16) {
        s = f32x4.add(s, f32x4.mul(v128.load32_splat(row), v128.load(at)));
        row += 4;
      }
      const more = f32x4.gt(s, best);
      second = f32x4.pmax(second, f32x4.pmin(s, best));
      best = f32x4.pmax(best, s);
      choice = v128.bitselect(i32x4.splat(index), choice, more);
    }
    const lane = <usize>q << 4;
    v128.store(choices + lane, choice);
    const bound = f32x4.add(f32x4.mul(v128.load(errors + lane), f32x4.splat(norm)), f32x4.splat(slack));
    const here = v128.load(present + lane);
    const proved = f32x4.gt(best, f32x4.add(second, bound));
    if (tables != 0) {
      const sure = v128.and(proved, here);
      const cell = tables + ((<usize>q << 2) * cellBytes);
      for (let bits = i32x4.bitmask(sure); bits != 0; bits &= bits - 1) {
        const i = <usize>ctz(bits);
        const four = v128.load(cell + i * cellBytes + (<usize>load<u32>(choices + lane + (i << 2)) << 4));
        low = i64x2.add(low, i64x2.extend_low_i32x4_u(four));
        high = i64x2.add(high, i64x2.extend_high_i32x4_u(four));
      }
      for (
        let bits = i32x4.bitmask(v128.and(sure, i32x4.eq(choice, v128.load(logged + lane))));
        bits != 0;
        bits &= bits - 1
      ) {
        store<u32>(matched + (<usize>matches << 2), (q << 2) + <u32>ctz(bits));
        matches++;
      }
    }
    let bits = i32x4.bitmask(v128.andnot(here, proved));
    for (; bits != 0; bits &= bits - 1) {
      if (doubts == capacity) return false;
      store<u32>(doubtful + (<usize>doubts << 2), (q << 2) + <u32>ctz(bits));
      doubts++;
    }
  }
  store<u32>(counts, matches);
  store<u32>(counts, doubts, 4);
  if (tables != 0) {
    v128.store(sums, i64x2.add(v128.load(sums), low));
    v128.store(sums, i64x2.add(v128.load(sums, 16), high), 16);
  }
  return true;
}
