// Linear policies, event by event: does the policy choose the logged row, and can f32 prove it? Hooks of lib/matches.wgsl.
//
// Nothing else is asked, so a lane keeps two numbers of an event, the score of its logged row and the best of the others: DIMENSION multiply-adds
// and one maximum a row. Where own − best is beyond the error bound the event matches, or does not; within it the pair goes to the
// doubtful list, and the CPU settles it in f64. The logged row is never its own rival: where a lane's events share it (SORTED), the
// lane starts its sum at LOWEST, which costs nothing; else it is picked out as it passes.
// Registers of a lane: contexts (lib/scores.wgsl), then per vec4 of events own, best and one score.
//
// Host side: src/policy/linear/kernel.ts (bound and weights), src/engine/gpu/tiles.ts (tiles).
//
// Bindings beside those of lib/matches.wgsl and lib/scores.wgsl:
//   doubtful  how many (policy, slot) pairs were left to the CPU, and the pairs
// and in `index`, where not SORTED, the logged row of each slot.

struct Doubtful { count: atomic<u32>, pairs: array<vec2u> }

var<private> own: array<vec4f, FOURS>;
var<private> best: array<vec4f, FOURS>;
var<private> laneRow: u32;
var<private> rows: array<vec4u, FOURS>;

fn start(row: u32) -> f32 { return select(0.0, LOWEST, SORTED && row == laneRow); }

fn candidate(row: u32, f: u32, score: vec4f) {
  if (SORTED) {
    best[f] = max(best[f], score);
    return;
  }
  let logged = rows[f] == vec4u(row);
  own[f] = select(own[f], score, logged);
  best[f] = max(best[f], select(score, vec4f(LOWEST), logged));
}

fn openGroup(first: u32, count: u32, lane: u32) { takePolicies(first, count, lane); }

fn openTile(tile: u32, lane: u32, row: u32) {
  takeTile(tile, lane);
  laneRow = row;
  if (!SORTED) { for (var f = 0u; f < FOURS; f++) { rows[f] = fourAt(params.rowOfSlot, tile, f, lane); } }
}

fn decide(first: u32, p: u32, slot: u32) {
  for (var f = 0u; f < FOURS; f++) {
    own[f] = vec4f(LOWEST);
    best[f] = vec4f(LOWEST);
  }
  if (SORTED) {
    var same: array<u32, AT_ONCE>;
    for (var r = 0u; r < AT_ONCE; r++) { same[r] = laneRow; }
    let s = scores(p, same, array<f32, AT_ONCE>());
    for (var f = 0u; f < FOURS; f++) { own[f] = s[f]; }
  }
  scoreList(p);
  let norm = normOf(p);
  for (var f = 0u; f < FOURS; f++) {
    let factor = errorFactor(f);
    let present = factor >= vec4f(0.0);
    let bound = factor * norm.x + params.subnormalSlack;
    let margin = own[f] - best[f];
    matched[f] = select(vec4u(0u), vec4u(ALL), (margin > bound) & present);
    let doubt = (abs(margin) <= bound) & present & vec4<bool>(norm.y == 0.0);
    if (!any(doubt)) { continue; }
    for (var c = 0u; c < 4u; c++) {
      if (!doubt[c]) { continue; }
      let at = atomicAdd(&doubtful.count, 1u);
      if (at < params.doubtfulCapacity) { doubtful.pairs[at] = vec2u(first + p, slot + f * 256u + c); }
    }
  }
}
