// Linear policies: which candidate has the largest score w_a · x, and can f32 prove it?
//
// One workgroup: 256 cells (64 lanes × 4 cells in vec4 components) × `POLICIES` policies. A lane keeps four cells'
// running best and second-best score. Weights are the same for all lanes of a workgroup (a broadcast load) and
// contexts are read as coalesced vec4s. A decision whose margin is within the error bound is not written but
// appended to the doubtful list; the CPU settles it in f64.
//
// Host side: src/policy/linear/kernel.ts (bound and weights), src/run/gpu/chunk.ts (tiles).

// Bindings (declared in src/run/gpu-kernels.ts):
//   contexts  per tile: DIMENSION rows of 64 vec4 (row j, lane l: feature j of cells 4l..4l+3), then a row of error factors
//   weights   per policy: K rows of QUADS vec4, then one vec4 (largest norm of a row, 1 if the policy is muted, 0, 0)
//   index     tile table (list offset, list length, mixed, cells), arm lists, pool of each cell, pool bit sets
//   choices   per policy: one u16 arm per cell, two to a word
//   doubtful  how many (policy, cell) pairs were left to the CPU, and the pairs

struct Doubtful { count: atomic<u32>, pairs: array<vec2u> }

const QUADS = (DIMENSION + 3u) / 4u;
// Short contexts are held in registers, which takes loops of known length; long ones are read again for each arm.
const HELD = DIMENSION <= 16u;
const HELD_LENGTH = select(1u, max(DIMENSION, 1u), HELD);

// Below every score: the host lets only products of norms under 2^120 through.
const LOWEST = -3.4028234e38;
const NO_ARM = 0xffffu;

struct Ranking { best: vec4f, second: vec4f, arm: vec4u }

fn rank(r: ptr<function, Ranking>, score: vec4f, arm: u32) {
  (*r).second = max((*r).second, min((*r).best, score));
  (*r).arm = select((*r).arm, vec4u(arm), score > (*r).best);
  (*r).best = max((*r).best, score);
}

// LOWEST where the arm is not a candidate of the cell; only tiles of mixed pools ask.
fn admit(score: vec4f, arm: u32, pools: vec4u) -> vec4f {
  let word = arm >> 5u;
  let bit = 1u << (arm & 31u);
  let bits = vec4u(
    index[params.poolBits + pools.x * params.poolWords + word],
    index[params.poolBits + pools.y * params.poolWords + word],
    index[params.poolBits + pools.z * params.poolWords + word],
    index[params.poolBits + pools.w * params.poolWords + word]);
  return select(vec4f(LOWEST), score, (bits & vec4u(bit)) != vec4u(0u));
}

fn admitAndRank(r: ptr<function, Ranking>, score: vec4f, arm: u32, mixed: bool, pools: vec4u) {
  var s = score;
  if (mixed) { s = admit(s, arm, pools); }
  rank(r, s, arm);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let tile = group.x;
  if (tile >= params.tiles) { return; }
  let entry = params.tileTable + tile * 4u;
  let list = params.armLists + index[entry];
  let listLength = index[entry + 1u];
  let mixed = index[entry + 2u] != 0u;
  let cells = index[entry + 3u];
  let row = tile * (DIMENSION + 1u) * 64u + lane;
  let errorFactor = contexts[row + DIMENSION * 64u];
  var pools = vec4u(0u);
  if (mixed) {
    let at = params.cellPools + (tile * 64u + lane) * 4u;
    pools = vec4u(index[at], index[at + 1u], index[at + 2u], index[at + 3u]);
  }
  let inTile = lane * 4u + vec4u(0u, 1u, 2u, 3u) < vec4u(cells);
  var x: array<vec4f, HELD_LENGTH>;
  if (HELD) {
    for (var j = 0u; j < DIMENSION; j++) { x[j] = contexts[row + j * 64u]; }
  }

  let first = group.y * params.policiesPerGroup;
  let last = min(first + params.policiesPerGroup, params.policies);
  for (var p = first; p < last; p++) {
    let w = (params.firstPolicy + p) * (params.arms * QUADS + 1u);
    var r = Ranking(vec4f(LOWEST), vec4f(LOWEST), vec4u(NO_ARM));
    if (HELD) {
      for (var i = 0u; i < listLength; i += 2u) {
        let a0 = index[list + i];
        let a1 = index[list + min(i + 1u, listLength - 1u)];
        var s0 = vec4f(0.0);
        var s1 = vec4f(0.0);
        for (var q = 0u; q < QUADS; q++) {
          let w0 = weights[w + a0 * QUADS + q];
          let w1 = weights[w + a1 * QUADS + q];
          for (var c = 0u; c < 4u; c++) {
            if (q * 4u + c < DIMENSION) {
              s0 += w0[c] * x[q * 4u + c];
              s1 += w1[c] * x[q * 4u + c];
            }
          }
        }
        admitAndRank(&r, s0, a0, mixed, pools);
        if (i + 1u < listLength) { admitAndRank(&r, s1, a1, mixed, pools); }
      }
    } else {
      for (var i = 0u; i < listLength; i += 4u) {
        let a0 = index[list + i];
        let a1 = index[list + min(i + 1u, listLength - 1u)];
        let a2 = index[list + min(i + 2u, listLength - 1u)];
        let a3 = index[list + min(i + 3u, listLength - 1u)];
        var s0 = vec4f(0.0);
        var s1 = vec4f(0.0);
        var s2 = vec4f(0.0);
        var s3 = vec4f(0.0);
        // The trip count comes from a uniform so that compilers keep this a loop.
        for (var j = 0u; j < params.dimension; j++) {
          let v = contexts[row + j * 64u];
          let q = j >> 2u;
          let c = j & 3u;
          s0 += weights[w + a0 * QUADS + q][c] * v;
          s1 += weights[w + a1 * QUADS + q][c] * v;
          s2 += weights[w + a2 * QUADS + q][c] * v;
          s3 += weights[w + a3 * QUADS + q][c] * v;
        }
        admitAndRank(&r, s0, a0, mixed, pools);
        if (i + 1u < listLength) { admitAndRank(&r, s1, a1, mixed, pools); }
        if (i + 2u < listLength) { admitAndRank(&r, s2, a2, mixed, pools); }
        if (i + 3u < listLength) { admitAndRank(&r, s3, a3, mixed, pools); }
      }
    }
    let norm = weights[w + params.arms * QUADS];
    let bound = errorFactor * norm.x + params.subnormalSlack;
    let doubt = (r.best - r.second <= bound) & inTile & vec4<bool>(norm.y == 0.0);
    let chosen = select(vec4u(NO_ARM), r.arm, inTile & !doubt);
    let word = p * params.choiceStride + (tile * 64u + lane) * 2u;
    choices[word] = chosen.x | (chosen.y << 16u);
    choices[word + 1u] = chosen.z | (chosen.w << 16u);
    if (any(doubt)) {
      for (var c = 0u; c < 4u; c++) {
        if (!doubt[c]) { continue; }
        let slot = atomicAdd(&doubtful.count, 1u);
        if (slot < params.doubtfulCapacity) {
          doubtful.pairs[slot] = vec2u(p, tile * 256u + lane * 4u + c);
        }
      }
    }
  }
}
