// Uniform policies: candidate number ⌊u · |A_t| / 2³²⌋ of each event, u from Threefry. Hooks of lib/matches.wgsl.
//
// Registers of a lane: event, logged arm, and place and size of the pool of its 4 · FOURS events.
// Host side: src/policy/uniform/cpu.ts (reference), src/engine/gpu/policies.ts (events).
//
// Bindings beside those of lib/matches.wgsl:
//   events    per tile four rows of 64 · FOURS vec4: number of the event, logged arm, first place of its pool in `arms`, size of the pool;
//             all 0 where there is no event
//   arms      of all pools
//   replicas  second counter word of each policy

var<private> event: array<vec4u, FOURS>;
var<private> logged: array<vec4u, FOURS>;
var<private> place: array<vec4u, FOURS>;
var<private> size: array<vec4u, FOURS>;

fn openGroup(first: u32, count: u32, lane: u32) {}

fn openTile(tile: u32, lane: u32, row: u32) {
  for (var f = 0u; f < FOURS; f++) {
    let at = tile * 256u * FOURS + f * 64u + lane;
    event[f] = events[at];
    logged[f] = events[at + 64u * FOURS];
    place[f] = events[at + 128u * FOURS];
    size[f] = events[at + 192u * FOURS];
  }
}

fn decide(first: u32, p: u32, slot: u32) {
  for (var f = 0u; f < FOURS; f++) {
    for (var c = 0u; c < 4u; c++) {
      let draw = threefry2x32(vec2u(params.seed, params.stream), vec2u(event[f][c], replicas[first + p]));
      let arm = arms[place[f][c] + scaleToIndex(draw.x, size[f][c])];
      matched[f][c] = select(0u, ALL, size[f][c] > 0u && arm == logged[f][c]);
    }
  }
}
