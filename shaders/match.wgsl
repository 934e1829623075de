// Matches choices with logged arms and reduces match columns: the block statistics of every policy.
//
// One workgroup: one segment (consecutive entries of one block) × POLICIES policies. Each lane takes every 64th entry
// in registers; the lanes' sums meet once, in workgroup memory. All sums are integers, so no order changes them.
// Host side: src/engine/gpu/entries.ts (entries, segments), src/engine/gpu/run.ts.
//
// Bindings (declared in src/engine/gpu/kernels.ts):
//   choices   per policy: one u16 arm per slot, two to a word
//   entries   per entry: arm | DIRECT: slot = entry, else also the slot; then a word for each column, or (FOLDED) the number
//             of events and two words for each column
//   segments  first and last+1 entry of each segment
//   sums      per segment and policy: T, then two words for each column

const LANES = 64u;
const POLICIES = 4u;

// Column c is reduced to its maximum where bit c of MAXIMA is set, else to its sum.
struct Sums { matches: u32, columns: array<vec2u, COLUMNS> }

// One policy's sums at a time: workgroup memory is zeroed by the driver, and a large block of it compiles slowly.
var<workgroup> partial: array<Sums, LANES>;

fn add64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn max64(a: vec2u, b: vec2u) -> vec2u {
  return select(a, b, b.y > a.y || (b.y == a.y && b.x > a.x));
}

fn reduced(c: u32, a: vec2u, b: vec2u) -> vec2u {
  if (((MAXIMA >> c) & 1u) == 1u) { return max64(a, b); }
  return add64(a, b);
}

fn add(a: Sums, b: Sums) -> Sums {
  var sum = a;
  sum.matches += b.matches;
  for (var c = 0u; c < COLUMNS; c++) { sum.columns[c] = reduced(c, sum.columns[c], b.columns[c]); }
  return sum;
}

// Words per entry: arm [, slot] and then a word for each column, or events and two words for each.
const HEAD = select(2u, 1u, DIRECT);
const STRIDE = HEAD + select(COLUMNS, 1u + 2u * COLUMNS, FOLDED);

fn entrySums(at: u32) -> Sums {
  var own: Sums;
  own.matches = 1u;
  if (FOLDED) { own.matches = entries[at + HEAD]; }
  for (var c = 0u; c < COLUMNS; c++) {
    if (FOLDED) {
      own.columns[c] = vec2u(entries[at + HEAD + 1u + 2u * c], entries[at + HEAD + 2u + 2u * c]);
    } else {
      own.columns[c] = vec2u(entries[at + HEAD + c], 0u);
    }
  }
  return own;
}

fn writeTotal(segment: u32, policy: u32) {
  var total = partial[0];
  for (var l = 1u; l < LANES; l++) { total = add(total, partial[l]); }
  let to = (segment * params.policies + policy) * (1u + 2u * COLUMNS);
  sums[to] = total.matches;
  for (var c = 0u; c < COLUMNS; c++) {
    sums[to + 1u + 2u * c] = total.columns[c].x;
    sums[to + 2u + 2u * c] = total.columns[c].y;
  }
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let segment = group.x;
  let first = group.y * POLICIES;
  var mine: array<Sums, POLICIES>;
  if (segment < params.segments) {
    let end = segments[segment * 2u + 1u];
    for (var i = segments[segment * 2u] + lane; i < end; i += LANES) {
      let at = i * STRIDE;
      let arm = entries[at];
      let slot = select(entries[at + HEAD - 1u], i, DIRECT);
      let word = slot >> 1u;
      let shift = (slot & 1u) * 16u;
      for (var p = 0u; p < POLICIES; p++) {
        if (first + p >= params.policies) { break; }
        let choice = (choices[(first + p) * params.choiceStride + word] >> shift) & 0xffffu;
        if (choice == arm) { mine[p] = add(mine[p], entrySums(at)); }
      }
    }
  }
  for (var p = 0u; p < POLICIES; p++) {
    partial[lane] = mine[p];
    workgroupBarrier();
    if (lane == 0u && first + p < params.policies && segment < params.segments) { writeTotal(segment, first + p); }
    workgroupBarrier();
  }
}
