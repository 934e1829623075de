// Linear policies: which candidate has the largest score w_a · x, and can f32 prove it?
//
// One workgroup: 256 · HALVES cells × `policiesPerGroup` policies (HALVES = 1 where there are few cells). A lane keeps the best and second-best score of eight cells, as
// the components of two vec4 (halves A and B). Weights are the same for all lanes of a workgroup, and each load of them
// serves eight cells; contexts are read as coalesced vec4s. A decision whose margin is within the error bound is not
// written but appended to the doubtful list; the CPU settles it in f64.
//
// Joint-linear policies come in the same form: their "arms" are feature rows, with weights that the host derives.
//
// Host side: src/policy/linear/kernel.ts (bound and weights), src/policy/screen.ts (what is screened), src/engine/gpu/tiles.ts (tiles).
//
// Bindings (declared in src/engine/gpu/kernels.ts):
//   contexts  per tile: DIMENSION rows of 64 · HALVES vec4 (row j, half h, lane l: feature j of cells 256h + 4l..4l+3), then a row
//             of error factors
//   weights   per policy: K rows of QUADS vec4, then one vec4 (largest norm of a row, 1 if the policy is muted, 0, 0)
//   index     tile table (list offset, list length, mixed, cells), arm lists, pool of each cell, pool bit sets
//   choices   per policy: one u16 arm per cell, two to a word
//   doubtful  how many (policy, cell) pairs were left to the CPU, and the pairs

struct Doubtful { count: atomic<u32>, pairs: array<vec2u> }

const TILE = 256u * HALVES;
const ROW = 64u * HALVES;
const QUADS = (DIMENSION + 3u) / 4u;
// Short contexts are held in registers, which takes loops of known length; long ones are read again for every four arms.
const HELD = DIMENSION <= 16u;
const HELD_LENGTH = select(1u, max(DIMENSION, 1u), HELD);

// Below every score: the host lets only products of norms under 2^120 through.
const LOWEST = -3.4028234e38;
const NO_ARM = 0xffffu;

struct Ranking { best: vec4f, second: vec4f, arm: vec4u }

fn emptyRanking() -> Ranking { return Ranking(vec4f(LOWEST), vec4f(LOWEST), vec4u(NO_ARM)); }

fn rank(r: ptr<function, Ranking>, score: vec4f, arm: u32) {
  let more = score > (*r).best;
  (*r).second = select(max((*r).second, score), (*r).best, more);
  (*r).arm = select((*r).arm, vec4u(arm), more);
  (*r).best = select((*r).best, score, more);
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

// Four cells of a lane: pools (in mixed tiles), error factors, and which of them exist.
struct Cells { pools: vec4u, errorFactor: vec4f, present: vec4<bool>, slot: u32 }

fn cellsOf(tile: u32, half: u32, lane: u32, mixed: bool, cells: u32) -> Cells {
  let inTile = half * 256u + lane * 4u;
  var pools = vec4u(0u);
  if (mixed) {
    let at = params.cellPools + tile * TILE + inTile;
    pools = vec4u(index[at], index[at + 1u], index[at + 2u], index[at + 3u]);
  }
  let factors = contexts[(tile * (DIMENSION + 1u) + DIMENSION) * ROW + half * 64u + lane];
  return Cells(pools, factors, inTile + vec4u(0u, 1u, 2u, 3u) < vec4u(cells), tile * TILE + inTile);
}

fn rankCandidate(r: ptr<function, Ranking>, score: vec4f, arm: u32, mixed: bool, pools: vec4u) {
  var s = score;
  if (mixed) { s = admit(s, arm, pools); }
  rank(r, s, arm);
}

// Writes four choices of policy p, and reports those that the bound cannot tell from the runner-up.
fn finish(p: u32, r: Ranking, cells: Cells, norm: vec4f) {
  let bound = cells.errorFactor * norm.x + params.subnormalSlack;
  let doubt = (r.best - r.second <= bound) & cells.present & vec4<bool>(norm.y == 0.0);
  let chosen = select(vec4u(NO_ARM), r.arm, cells.present & !doubt);
  let word = p * params.choiceStride + cells.slot / 2u;
  choices[word] = chosen.x | (chosen.y << 16u);
  choices[word + 1u] = chosen.z | (chosen.w << 16u);
  if (!any(doubt)) { return; }
  for (var c = 0u; c < 4u; c++) {
    if (!doubt[c]) { continue; }
    let at = atomicAdd(&doubtful.count, 1u);
    if (at < params.doubtfulCapacity) { doubtful.pairs[at] = vec2u(p, cells.slot + c); }
  }
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let tile = group.x;
  if (tile >= params.tiles) { return; }
  let entry = params.tileTable + tile * 4u;
  let list = params.armLists + index[entry];
  let listLength = index[entry + 1u];
  let mixed = index[entry + 2u] != 0u;
  let a = cellsOf(tile, 0u, lane, mixed, index[entry + 3u]);
  let b = cellsOf(tile, HALVES - 1u, lane, mixed, index[entry + 3u]);
  let row = tile * (DIMENSION + 1u) * ROW + lane;
  var xa: array<vec4f, HELD_LENGTH>;
  var xb: array<vec4f, HELD_LENGTH>;
  if (HELD) {
    for (var j = 0u; j < DIMENSION; j++) {
      xa[j] = contexts[row + j * ROW];
      if (HALVES == 2u) { xb[j] = contexts[row + j * ROW + 64u]; }
    }
  }

  let first = group.y * params.policiesPerGroup;
  let last = min(first + params.policiesPerGroup, params.policies);
  for (var p = first; p < last; p++) {
    let w = (params.firstPolicy + p) * (params.arms * QUADS + 1u);
    var ra = emptyRanking();
    var rb = emptyRanking();
    if (HELD) {
      for (var i = 0u; i < listLength; i++) {
        let arm = index[list + i];
        var sa = vec4f(0.0);
        var sb = vec4f(0.0);
        for (var q = 0u; q < QUADS; q++) {
          let v = weights[w + arm * QUADS + q];
          for (var c = 0u; c < 4u; c++) {
            if (q * 4u + c < DIMENSION) {
              sa += v[c] * xa[q * 4u + c];
              if (HALVES == 2u) { sb += v[c] * xb[q * 4u + c]; }
            }
          }
        }
        rankCandidate(&ra, sa, arm, mixed, a.pools);
        if (HALVES == 2u) { rankCandidate(&rb, sb, arm, mixed, b.pools); }
      }
    } else {
      for (var i = 0u; i < listLength; i += 2u) {
        let arm0 = index[list + i];
        let arm1 = index[list + min(i + 1u, listLength - 1u)];
        var sa0 = vec4f(0.0);
        var sa1 = vec4f(0.0);
        var sb0 = vec4f(0.0);
        var sb1 = vec4f(0.0);
        // The trip count comes from a uniform so that compilers keep this a loop.
        for (var q = 0u; q * 4u < params.dimension; q++) {
          let v0 = weights[w + arm0 * QUADS + q];
          let v1 = weights[w + arm1 * QUADS + q];
          for (var c = 0u; c < 4u; c++) {
            // Past the end the last feature is read again; its weight there is the padding's zero.
            let at = row + min(q * 4u + c, DIMENSION - 1u) * ROW;
            let va = contexts[at];
            sa0 += v0[c] * va;
            sa1 += v1[c] * va;
            if (HALVES == 2u) {
              let vb = contexts[at + 64u];
              sb0 += v0[c] * vb;
              sb1 += v1[c] * vb;
            }
          }
        }
        rankCandidate(&ra, sa0, arm0, mixed, a.pools);
        if (HALVES == 2u) { rankCandidate(&rb, sb0, arm0, mixed, b.pools); }
        if (i + 1u < listLength) {
          rankCandidate(&ra, sa1, arm1, mixed, a.pools);
          if (HALVES == 2u) { rankCandidate(&rb, sb1, arm1, mixed, b.pools); }
        }
      }
    }
    let norm = weights[w + params.arms * QUADS];
    finish(p, ra, a, norm);
    if (HALVES == 2u) { finish(p, rb, b, norm); }
  }
}
