// Linear policies, cell by cell: which row has the largest score, and can f32 prove it?
//
// One workgroup: a tile × `group` policies. Beside its contexts (lib/scores.wgsl) a lane keeps the best score, the second best and the best
// row of its cells. A decision whose margin is within the error bound is not written but appended to the doubtful list; the CPU settles it
// in f64. Joint-linear policies come in the same form: their rows are feature rows, with weights that the host derives.
//
// Host side: src/policy/linear/kernel.ts (bound and weights), src/policy/screen.ts (what is screened), src/engine/gpu/tiles.ts (tiles).
//
// Bindings beside those of lib/scores.wgsl:
//   choices   per policy: one u16 row per cell, two to a word
//   doubtful  how many (policy, slot) pairs were left to the CPU, and the pairs

struct Doubtful { count: atomic<u32>, pairs: array<vec2u> }

const NO_ARM = 0xffffu;

var<private> best: array<vec4f, FOURS>;
var<private> second: array<vec4f, FOURS>;
var<private> chosen: array<vec4u, FOURS>;

fn start(row: u32) -> f32 { return 0.0; }

fn candidate(row: u32, f: u32, score: vec4f) {
  let more = score > best[f];
  second[f] = select(max(second[f], score), best[f], more);
  chosen[f] = select(chosen[f], vec4u(row), more);
  best[f] = select(best[f], score, more);
}

// Writes four choices of policy p, and reports those that the bound cannot tell from the runner-up.
fn finish(p: u32, f: u32, norm: vec4f, slot: u32) {
  let factor = errorFactor(f);
  let present = factor >= vec4f(0.0);
  let doubt = (best[f] - second[f] <= factor * norm.x + params.subnormalSlack) & present & vec4<bool>(norm.y == 0.0);
  let arm = select(vec4u(NO_ARM), chosen[f], present & !doubt);
  let word = p * params.choiceStride + slot / 2u;
  choices[word] = arm.x | (arm.y << 16u);
  choices[word + 1u] = arm.z | (arm.w << 16u);
  if (!any(doubt)) { return; }
  for (var c = 0u; c < 4u; c++) {
    if (!doubt[c]) { continue; }
    let at = atomicAdd(&doubtful.count, 1u);
    if (at < params.doubtfulCapacity) { doubtful.pairs[at] = vec2u(p, slot + c); }
  }
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let tile = group.x;
  if (tile >= params.tiles) { return; }
  let first = group.y * params.group;
  let count = min(params.group, params.policies - first);
  takePolicies(first, count, lane);
  workgroupBarrier();
  takeTile(tile, lane);
  for (var p = 0u; p < count; p++) {
    for (var f = 0u; f < FOURS; f++) {
      best[f] = vec4f(LOWEST);
      second[f] = vec4f(LOWEST);
      chosen[f] = vec4u(NO_ARM);
    }
    scoreList(p);
    for (var f = 0u; f < FOURS; f++) { finish(first + p, f, normOf(p), tile * TILE + f * 256u + lane * 4u); }
  }
}
