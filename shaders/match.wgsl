// Matches choices with logged arms and adds up payoffs: the block statistics of every policy.
//
// One workgroup: one segment (consecutive entries of one block) × POLICIES policies. Each lane adds up every 64th entry
// in registers; the lanes' sums meet once, in workgroup memory. All sums are integers, so no order changes them.
// Host side: src/run/gpu-pack.ts (entries, segments), src/run/gpu.ts.
//
// Bindings (declared in src/run/gpu-kernels.ts):
//   choices   per policy: one u16 arm per slot, two to a word
//   entries   per entry: arm | DIRECT: slot = entry, else also the slot; then steps, or the folded sums
//   segments  first and last+1 entry of each segment
//   sums      per segment and policy: T, Σk (2 words), Σk² (3 words; absent for 0/1 steps)

const LANES = 64u;
const POLICIES = 4u;

struct Sums { matches: u32, payoff: vec2u, square: vec3u }

// One policy's sums at a time: workgroup memory is zeroed by the driver, and a large block of it compiles slowly.
var<workgroup> partial: array<Sums, LANES>;

fn add64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn add96(a: vec3u, b: vec3u) -> vec3u {
  let low = a.x + b.x;
  let carry = select(0u, 1u, low < a.x);
  let half = a.y + carry;
  let middle = half + b.y;
  return vec3u(low, middle, a.z + b.z + select(0u, 1u, half < carry) + select(0u, 1u, middle < half));
}

// k² in two words.
fn squareOf(k: u32) -> vec2u {
  let high = k >> 16u;
  let low = k & 0xffffu;
  let cross = high * low;
  // k² = high²·2³² + 2·cross·2¹⁶ + low²
  let lower = add64(vec2u(low * low, high * high), vec2u(cross << 17u, cross >> 15u));
  return lower;
}

fn add(a: Sums, b: Sums) -> Sums {
  return Sums(a.matches + b.matches, add64(a.payoff, b.payoff), add96(a.square, b.square));
}

// Words per entry: arm [, slot] and then steps, or events, Σk (2) and Σk² (3).
const HEAD = select(2u, 1u, DIRECT);
const STRIDE = HEAD + select(1u, 6u, FOLDED);

fn entrySums(at: u32) -> Sums {
  if (FOLDED) {
    return Sums(
      entries[at + HEAD],
      vec2u(entries[at + HEAD + 1u], entries[at + HEAD + 2u]),
      vec3u(entries[at + HEAD + 3u], entries[at + HEAD + 4u], entries[at + HEAD + 5u]));
  }
  let k = entries[at + HEAD];
  var square = vec2u(0u);
  if (!BINARY) { square = squareOf(k); }
  return Sums(1u, vec2u(k, 0u), vec3u(square, 0u));
}

fn writeTotal(segment: u32, policy: u32) {
  var total = partial[0];
  for (var l = 1u; l < LANES; l++) { total = add(total, partial[l]); }
  let to = (segment * params.policies + policy) * select(6u, 3u, BINARY);
  sums[to] = total.matches;
  sums[to + 1u] = total.payoff.x;
  sums[to + 2u] = total.payoff.y;
  if (!BINARY) {
    sums[to + 3u] = total.square.x;
    sums[to + 4u] = total.square.y;
    sums[to + 5u] = total.square.z;
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
