// Matches choices of cells with the logged arms of entries and reduces match columns: the block statistics of every policy. Where cells are
// events, they are matched as they are decided instead (lib/matches.wgsl).
//
// One workgroup: one segment (consecutive entries of one block) × POLICIES policies. Each lane takes every 64th entry
// in registers; the lanes' sums meet once, in workgroup memory. Where there are more columns than these hold, the entries pass once
// for every WIDTH of them. All sums are integers, so no order changes them.
// Host side: src/engine/gpu/entries.ts (entries, segments), src/engine/gpu/cell-stage.ts.
//
// Bindings (declared in src/engine/gpu/kernels.ts):
//   choices   per policy: one u16 arm per slot, two to a word
//   entries   per entry: arm, slot, then a word for each column, or (FOLDED) the number of events and two words for each column
//   segments  first and last+1 entry of each segment
//   sums      from row params.firstRow on, per segment and policy: T, then two words for each column

const LANES = 64u;
const POLICIES = 4u;

const WIDTH = min(COLUMNS, 8u);

struct Sums { matches: u32, columns: array<vec2u, WIDTH> }

// One policy's sums at a time: workgroup memory is zeroed by the driver, and a large block of it compiles slowly.
var<workgroup> partial: array<Sums, LANES>;

fn add64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn max64(a: vec2u, b: vec2u) -> vec2u {
  return select(a, b, b.y > a.y || (b.y == a.y && b.x > a.x));
}

// Column c is reduced to its maximum where bit c of MAXIMA is set, else to its sum; those from 32 on are all sums.
fn reduced(c: u32, a: vec2u, b: vec2u) -> vec2u {
  if (c < 32u && ((MAXIMA >> (c & 31u)) & 1u) == 1u) { return max64(a, b); }
  return add64(a, b);
}

// Of columns from `base` on, like all that follows.
fn add(base: u32, a: Sums, b: Sums) -> Sums {
  var sum = a;
  sum.matches += b.matches;
  for (var c = 0u; c < WIDTH; c++) { sum.columns[c] = reduced(base + c, sum.columns[c], b.columns[c]); }
  return sum;
}

// Words per entry: arm, slot and then a word for each column, or events and two words for each.
const HEAD = 2u;
const STRIDE = HEAD + select(COLUMNS, 1u + 2u * COLUMNS, FOLDED);

fn entrySums(base: u32, at: u32) -> Sums {
  var own: Sums;
  own.matches = 1u;
  if (FOLDED) { own.matches = entries[at + HEAD]; }
  for (var i = 0u; i < WIDTH; i++) {
    let c = base + i;
    if (c >= COLUMNS) { break; }
    if (FOLDED) {
      own.columns[i] = vec2u(entries[at + HEAD + 1u + 2u * c], entries[at + HEAD + 2u + 2u * c]);
    } else {
      own.columns[i] = vec2u(entries[at + HEAD + c], 0u);
    }
  }
  return own;
}

fn writeTotal(base: u32, segment: u32, policy: u32) {
  var total = partial[0];
  for (var l = 1u; l < LANES; l++) { total = add(base, total, partial[l]); }
  let to = ((params.firstRow + segment) * params.policies + policy) * (1u + 2u * COLUMNS);
  sums[to] = total.matches;
  for (var i = 0u; i < WIDTH; i++) {
    let c = base + i;
    if (c >= COLUMNS) { break; }
    sums[to + 1u + 2u * c] = total.columns[i].x;
    sums[to + 2u + 2u * c] = total.columns[i].y;
  }
}

fn matchColumns(base: u32, segment: u32, first: u32, lane: u32) {
  var mine: array<Sums, POLICIES>;
  if (segment < params.segments) {
    let end = segments[segment * 2u + 1u];
    for (var i = segments[segment * 2u] + lane; i < end; i += LANES) {
      let at = i * STRIDE;
      let arm = entries[at];
      let slot = entries[at + 1u];
      let word = slot >> 1u;
      let shift = (slot & 1u) * 16u;
      for (var p = 0u; p < POLICIES; p++) {
        if (first + p >= params.policies) { break; }
        let choice = (choices[(first + p) * params.choiceStride + word] >> shift) & 0xffffu;
        if (choice == arm) { mine[p] = add(base, mine[p], entrySums(base, at)); }
      }
    }
  }
  for (var p = 0u; p < POLICIES; p++) {
    partial[lane] = mine[p];
    workgroupBarrier();
    if (lane == 0u && first + p < params.policies && segment < params.segments) {
      writeTotal(base, segment, first + p);
    }
    workgroupBarrier();
  }
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  for (var base = 0u; base < COLUMNS; base += WIDTH) { matchColumns(base, group.x, group.y * POLICIES, lane); }
}
