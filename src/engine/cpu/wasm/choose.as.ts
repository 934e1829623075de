// The CPU engine's first pass over the choices of scored policies: f32, four cells to a SIMD register, with the proved error
// bound of src/policy/screen.ts. What it cannot prove it reports, and the caller decides in f64.
//
// Layout in the module's memory, addresses given by the caller:
//   y         inputs [quads][d][4] f32
//   errors    error factor of each cell [quads][4] f32; bound = factor · norm + slack
//   w         weights [rows][d] f32 of one policy; norm is the largest of its rows
//   list      candidate rows u32
//   present   0xffffffff for each cell, 0 in padding, [quads][4] u32
//   choices   row of the largest score [quads][4] u32
//   doubtful  slots whose choice is not proved u32

/**
 * Writes the row with the largest score of each cell of quads from..to−1 and appends the slots where another row comes within
 * the bound to `doubtful`, which holds `doubts` already.
 *
 * @returns the number of doubtful slots, or −1 where there are more than `capacity`.
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
  doubts: i32,
  capacity: i32,
): i32 {
  const rowBytes = <usize>d << 2;
  const quadBytes = <usize>d << 4;
  const listEnd = list + (<usize>listLength << 2);
  for (let q = from; q < to; q++) {
    const yq = y + <usize>q * quadBytes;
    const yEnd = yq + quadBytes;
    let best = f32x4.splat(-Infinity);
    let second = best;
    let choice = i32x4.splat(0);
    for (let l = list; l < listEnd; l += 4) {
      const index = load<u32>(l);
      let row = w + <usize>index * rowBytes;
      let s = f32x4.splat(0);
      for (let at = yq; at < yEnd; at += 16) {
        s = f32x4.add(s, f32x4.mul(v128.load32_splat(row), v128.load(at)));
        row += 4;
      }
      const more = f32x4.gt(s, best);
      second = f32x4.max(second, f32x4.min(s, best));
      best = f32x4.max(best, s);
      choice = v128.bitselect(i32x4.splat(index), choice, more);
    }
    const lane = <usize>q << 4;
    v128.store(choices + lane, choice);
    const bound = f32x4.add(f32x4.mul(v128.load(errors + lane), f32x4.splat(norm)), f32x4.splat(slack));
    const proved = f32x4.gt(best, f32x4.add(second, bound));
    let bits = i32x4.bitmask(v128.andnot(v128.load(present + lane), proved));
    for (; bits != 0; bits &= bits - 1) {
      if (doubts == capacity) return -1;
      store<u32>(doubtful + (<usize>doubts << 2), (q << 2) + <u32>ctz(bits));
      doubts++;
    }
  }
  return doubts;
}
