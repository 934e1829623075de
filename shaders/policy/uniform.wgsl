// Uniform policies: candidate number ⌊u · |A_t| / 2³²⌋ of each event, u from Threefry.
//
// One invocation: one word of `choices` (two slots) × one policy.
// Host side: src/policy/uniform/cpu.ts (reference), src/engine/gpu/sources.ts (index).
//
// Bindings (declared in src/engine/gpu/kernels.ts):
//   index     per slot its event and its pool, then the pools' offsets and arms
//   replicas  second counter word of each policy
//   choices   per policy: one u16 arm per slot, two to a word

const NO_ARM = 0xffffu;

fn choose(slot: u32, replica: u32) -> u32 {
  if (slot >= params.slots) { return NO_ARM; }
  let event = index[slot * 2u];
  let pool = params.poolOffsets + index[slot * 2u + 1u];
  let first = index[pool];
  let size = index[pool + 1u] - first;
  let draw = threefry2x32(vec2u(params.seed, params.stream), vec2u(event, replica));
  return index[params.poolArms + first + scaleToIndex(draw.x, size)];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let word = id.x;
  let p = id.y;
  if (word >= params.choiceStride || p >= params.policies) { return; }
  let replica = replicas[p];
  choices[p * params.choiceStride + word] = choose(word * 2u, replica) | (choose(word * 2u + 1u, replica) << 16u);
}
