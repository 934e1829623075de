// Learners with a ridge regression per arm: linucb, lin-thompson, cemp (src/learner/ has their definitions).
//
// score(a) = θ_aᵀx + α ‖R_a x‖ z, with A_a⁻¹ = R_aᵀR_a: R_a is the inverse of the Cholesky factor of A_a, lower triangular,
// and z is 1 (linucb), a normal variate (lin-thompson), or the whole term is absent (cemp). Lanes score in f32. State is
// pairs of f32 (lib/pair.wgsl), so that updates do not drift (bench/drift.md), and what f32 leaves in doubt all lanes
// settle in pairs. Squares of R x cannot cancel as the terms of xᵀA⁻¹x do, which keeps the doubt small.
//
// An update by (x, r) with weight w (1; cemp: p (1 − p)) is that of lib/factor.wgsl, one lane to a column, and
// θ' = θ + Rᵀy (r − prediction) / s_{d−1}.
//
// SLOTS = 4. Constants: LEARNER, DIMENSION = d; PAIRED (contexts have lower parts).
// features, state: lib/arm-state.wgsl, with R and θ of order d.
// Parameters: α (pair; v of lin-thompson), τ, base payoff (pair), payoff step (pair), offset (pair; cemp), 1/√λ.

const LINUCB = 0u;
const LIN_THOMPSON = 1u;
const CEMP = 2u;

const LENGTH = DIMENSION;
const X_LENGTH = select(1u, QUADS * 4u, SHORT);
const HELD_QUADS = select(1u, ARMS * SIZE / 4u, HELD);
const KEPT = select(1u, ARMS * WIDTH, INCREMENTAL);

var<workgroup> held: array<vec4f, HELD_QUADS>;
var<workgroup> kept: array<vec4f, KEPT>;
// 1 while some arm has learnt nothing.
var<workgroup> someUntried: atomic<u32>;
// The event of a hit: R x and the prediction, and the coefficients of the update.
var<workgroup> hitY: array<vec2f, DIMENSION + 1u>;
var<workgroup> sums: array<vec2f, DIMENSION + 1u>;
var<workgroup> keep: array<vec2f, DIMENSION>;
var<workgroup> take: array<vec2f, DIMENSION>;
var<workgroup> weightOfHit: vec2f;
var<workgroup> residualOfHit: vec2f;
var<workgroup> cutoff: f32;
var<workgroup> contenders: array<atomic<u32>, ARM_WORDS>;
var<workgroup> partialMean: array<vec2f, WIDTH>;
var<workgroup> partialVariance: array<vec2f, WIDTH>;
var<workgroup> settled: u32;

// The lane's four events, as components: contexts, their norms, the logged arms and pools.
var<private> x: array<vec4f, X_LENGTH>;
var<private> norm: vec4f;
var<private> loggedArm: vec4u;
var<private> pool: vec4u;
var<private> largestNormal: vec4f;
// MIXED: arms that are candidates at one of them.
var<private> laneArms: array<u32, ARM_WORDS>;
// The logged arm's score, the largest score of lower and of higher arms, and whether a lower arm ties with it for sure.
var<private> own: vec4f;
var<private> lower: vec4f;
var<private> higher: vec4f;
var<private> ruledOut: vec4<bool>;

fn upperQuad(arm: u32, q: u32) -> vec4f {
  if (HELD) { return held[arm * (SIZE / 4u) + q]; }
  return state[(liveHome(arm) >> 2u) + q];
}

fn noteUntried(w: u32, bits: u32) {
  let all = select(0xffffffffu, (1u << (ARMS & 31u)) - 1u, w == ARM_WORDS - 1u && (ARMS & 31u) != 0u);
  if (bits != all) { atomicStore(&someUntried, 1u); }
}

// Feature j .. j + 3 of the lane's events: component c of row s belongs to slot s.
fn contextQuads(q: u32) -> mat4x4f {
  return mat4x4f(
    features[mine[0].local * QUADS + q],
    features[mine[1].local * QUADS + q],
    features[mine[2].local * QUADS + q],
    features[mine[3].local * QUADS + q]);
}

// θᵀx and ‖R x‖² of the lane's events, in f32. `shortParts` is written out for d by src/run/gpu-replay/linear-scores.ts,
// and so is `skips(i)`: local arm i is no candidate at any of them, and lanes may part.
struct Parts { mean: vec4f, variance: vec4f }

fn longParts(arm: u32) -> Parts {
  let home = liveHome(arm);
  var mean = vec4f(0.0);
  var variance = vec4f(0.0);
  for (var q = 0u; q * 4u < params.dimension; q++) {
    let rows = contextQuads(q);
    for (var c = 0u; c < 4u; c++) {
      // Past the end contexts are padded with zeros.
      mean += stateAt(home + COEFFICIENTS + q * 4u + c) * vec4f(rows[0][c], rows[1][c], rows[2][c], rows[3][c]);
    }
  }
  if (LEARNER == CEMP) { return Parts(mean, variance); }
  for (var first = 0u; first < params.dimension; first += 8u) {
    // Eight rows of R share each load of contexts.
    var y = array<vec4f, 8>();
    let block = (home + place(first, 0u)) >> 2u;
    let columns = min(first + 8u, params.dimension);
    for (var q = 0u; q * 4u < columns; q++) {
      let rows = transpose(contextQuads(q));
      for (var c = 0u; c < 4u; c++) {
        let low = state[block + (q * 4u + c) * 2u];
        let high = state[block + (q * 4u + c) * 2u + 1u];
        let xj = rows[c];
        y[0] += low.x * xj;
        y[1] += low.y * xj;
        y[2] += low.z * xj;
        y[3] += low.w * xj;
        y[4] += high.x * xj;
        y[5] += high.y * xj;
        y[6] += high.z * xj;
        y[7] += high.w * xj;
      }
    }
    variance += (y[0] * y[0] + y[1] * y[1]) + (y[2] * y[2] + y[3] * y[3])
      + ((y[4] * y[4] + y[5] * y[5]) + (y[6] * y[6] + y[7] * y[7]));
  }
  return Parts(mean, variance);
}

fn scoreArm(arm: u32) -> vec4f {
  var parts: Parts;
  if (SHORT) { parts = shortParts(arm); } else { parts = longParts(arm); }
  if (LEARNER == CEMP) { return parts.mean; }
  var width = settingF(0u) * sqrt(parts.variance);
  if (LEARNER == LIN_THOMPSON) {
    var z: vec4f;
    for (var slot = 0u; slot < 4u; slot++) { z[slot] = normal(drawWords(mine[slot].local, arm)); }
    largestNormal = max(largestNormal, abs(z));
    width *= z;
  }
  return parts.mean + width;
}

fn readLive(lane: u32) {
  if (lane == 0u) { atomicStore(&someUntried, 0u); }
  workgroupBarrier();
  for (var w = lane; w < ARM_WORDS; w += WIDTH) {
    let bits = triedBits(w);
    tried[w] = bits;
    noteUntried(w, bits);
  }
  if (HELD) {
    for (var i = lane; i < HELD_QUADS; i += WIDTH) {
      held[i] = state[(liveHome(i / (SIZE / 4u)) >> 2u) + i % (SIZE / 4u)];
    }
  }
  workgroupBarrier();
}

fn startRanking() {
  own = vec4f(NONE);
  lower = vec4f(NONE);
  higher = vec4f(NONE);
  ruledOut = vec4<bool>(false);
}

fn candidates(i: u32) -> vec4<bool> {
  if (!MIXED) { return vec4<bool>(true); }
  return vec4<bool>(isCandidate(pool.x, i), isCandidate(pool.y, i), isCandidate(pool.z, i), isCandidate(pool.w, i));
}

fn untriedLogged() -> vec4<bool> {
  if (LEARNER == LIN_THOMPSON || atomicLoad(&someUntried) == 0u) { return vec4<bool>(false); }
  return vec4<bool>(
    !isTried(armOf(loggedArm.x)), !isTried(armOf(loggedArm.y)), !isTried(armOf(loggedArm.z)), !isTried(armOf(loggedArm.w)));
}

fn rank(i: u32, score: vec4f, untried: vec4<bool>) {
  own = select(own, score, loggedArm == vec4u(i));
  let other = candidates(i) & (loggedArm != vec4u(i));
  let below = vec4u(i) < loggedArm;
  // Arms that still have the prior tie exactly, and the lower index wins.
  var tie = untried;
  if (any(untried) && isTried(armOf(i))) { tie = vec4<bool>(false); }
  ruledOut = ruledOut | (other & below & tie);
  lower = select(lower, max(lower, score), other & below & !tie);
  higher = select(higher, max(higher, score), other & !below & !tie);
}

fn loadLane(lane: u32) {
  loggedArm = vec4u(mine[0].arm, mine[1].arm, mine[2].arm, mine[3].arm);
  pool = vec4u(mine[0].pool, mine[1].pool, mine[2].pool, mine[3].pool);
  if (MIXED) {
    for (var w = 0u; w * 32u < params.arms; w++) {
      laneArms[w] = candidateBits(pool.x, w) | candidateBits(pool.y, w) | candidateBits(pool.z, w) | candidateBits(pool.w, w);
    }
  }
  var square = vec4f(0.0);
  for (var q = 0u; q < QUADS; q++) {
    let rows = transpose(contextQuads(q));
    square += rows[0] * rows[0] + rows[1] * rows[1] + rows[2] * rows[2] + rows[3] * rows[3];
    if (SHORT) {
      x[q * 4u] = rows[0];
      x[q * 4u + 1u] = rows[1];
      x[q * 4u + 2u] = rows[2];
      x[q * 4u + 3u] = rows[3];
    }
  }
  norm = sqrt(square);
  largestNormal = vec4f(1.0);
}

fn scoreArms(first: u32, last: u32, lane: u32) {
  let all = last - first == params.arms;
  startRanking();
  let untried = untriedLogged();
  for (var i = first; i < last; i++) {
    if (skips(i)) { continue; }
    let score = scoreArm(armOf(i));
    if (INCREMENTAL) { kept[i * WIDTH + lane] = score; }
    if (all) { rank(i, score, untried); }
  }
  if (INCREMENTAL && !all) {
    for (var i = 0u; i < params.arms; i++) {
      if (!skips(i)) { rank(i, kept[i * WIDTH + lane], untried); }
    }
  }
}

fn band(slot: u32, largest: f32) -> f32 {
  var bonus = 0.0;
  if (LEARNER != CEMP) { bonus = settingF(0u) * largestNormal[slot]; }
  return scoreError(bonus, norm[slot], largest);
}

fn judge(slot: u32, lane: u32) -> u32 {
  if (ruledOut[slot]) { return NO; }
  let error = band(slot, max(max(own[slot], higher[slot]), lower[slot]));
  return verdict(own[slot], lower[slot], higher[slot], error);
}

fn publish(slot: u32, lane: u32) {
  let top = max(max(own[slot], higher[slot]), lower[slot]);
  cutoff = least(top) - 4.0 * band(slot, top);
}

// Row i of R times x of the hit, in pairs; θᵀx where i = d.
fn hitRow(home: u32, i: u32) -> vec2f {
  var sum = vec2f(0.0);
  let prediction = i == DIMENSION;
  let last = select(i, DIMENSION - 1u, prediction);
  for (var j = 0u; j <= last; j++) {
    sum = pairMulAdd(pairAt(home, select(place(i, j), COEFFICIENTS + j, prediction)), hitX[j], sum);
  }
  return sum;
}

// f32 score of the hit, for a look at which arms matter.
fn roughHitScore(arm: u32) -> f32 {
  let home = liveHome(arm);
  var mean = 0.0;
  for (var j = 0u; j < DIMENSION; j++) { mean += stateAt(home + COEFFICIENTS + j) * hitX[j].x; }
  if (LEARNER == CEMP) { return mean; }
  var variance = 0.0;
  for (var i = 0u; i < DIMENSION; i++) {
    var y = 0.0;
    for (var j = 0u; j <= i; j++) { y += stateAt(home + place(i, j)) * hitX[j].x; }
    variance += y * y;
  }
  var width = settingF(0u) * sqrt(variance);
  if (LEARNER == LIN_THOMPSON) { width *= normal(drawWords(hitEvent.local, arm)); }
  return mean + width;
}

// Score of the hit in pairs; rows are shared out among the lanes. All lanes get it.
fn hitScore(arm: u32, lane: u32) -> vec2f {
  let home = liveHome(arm);
  var mean = vec2f(0.0);
  var variance = vec2f(0.0);
  for (var i = lane; i <= DIMENSION; i += WIDTH) {
    if (i < DIMENSION && LEARNER == CEMP) { continue; }
    let y = hitRow(home, i);
    if (i == DIMENSION) { mean = y; } else { variance = pairMulAdd(y, y, variance); }
  }
  partialMean[lane] = mean;
  partialVariance[lane] = variance;
  workgroupBarrier();
  mean = vec2f(0.0);
  variance = vec2f(0.0);
  for (var other = 0u; other < min(WIDTH, DIMENSION + 1u); other++) {
    mean = pairAdd(mean, partialMean[other]);
    variance = pairAdd(variance, partialVariance[other]);
  }
  workgroupBarrier();
  if (LEARNER == CEMP) { return mean; }
  var width = pairMul(settingPair(0u), pairSqrt(variance));
  if (LEARNER == LIN_THOMPSON) { width = pairMul(width, normalPair(drawWords(hitEvent.local, arm))); }
  return pairAdd(mean, width);
}

fn settle(lane: u32) -> bool {
  loadHit(lane);
  for (var w = lane; w < ARM_WORDS; w += WIDTH) { atomicStore(&contenders[w], 0u); }
  workgroupBarrier();
  for (var i = lane; i < params.arms; i += WIDTH) {
    if (!isCandidate(hitEvent.pool, i)) { continue; }
    if (i == hitEvent.arm || roughHitScore(armOf(i)) >= cutoff) { atomicOr(&contenders[i >> 5u], 1u << (i & 31u)); }
  }
  var own = pairOf(NONE);
  var lower = pairOf(NONE);
  var higher = pairOf(NONE);
  for (var w = 0u; w < ARM_WORDS; w++) {
    var bits = workgroupUniformLoad(&contenders[w]);
    while (bits != 0u) {
      let i = w * 32u + firstTrailingBit(bits);
      bits &= bits - 1u;
      let score = hitScore(armOf(i), lane);
      if (i == hitEvent.arm) { own = score; }
      else if (i < hitEvent.arm) { lower = pairMax(lower, score); }
      else { higher = pairMax(higher, score); }
    }
  }
  if (lane == 0u) { settled = select(0u, 1u, wins(own, lower, higher)); }
  return workgroupUniformLoad(&settled) != 0u;
}

fn learn(lane: u32) {
  let arm = armOf(hitEvent.arm);
  let home = nextHome(arm);
  loadHit(lane);
  for (var i = lane; i <= DIMENSION; i += WIDTH) { hitY[i] = hitRow(home, i); }
  workgroupBarrier();
  if (lane == 0u) {
    let payoff = pairMulAdd(pairFromU32(hitEvent.steps), settingPair(5u), settingPair(3u));
    var prediction = hitY[DIMENSION];
    var weight = pairOf(1.0);
    if (LEARNER == CEMP) {
      prediction = pairSigmoid(pairAdd(settingPair(7u), prediction));
      weight = pairMul(prediction, pairSub(pairOf(1.0), prediction));
    }
    weightOfHit = weight;
    var sum = pairOf(1.0);
    sums[0] = sum;
    for (var i = 0u; i < DIMENSION; i++) {
      sum = pairMulAdd(pairMul(weight, hitY[i]), hitY[i], sum);
      sums[i + 1u] = sum;
    }
    residualOfHit = pairDiv(pairSub(payoff, prediction), sum);
    countUpdate(arm);
    if (!FROZEN && !isTried(arm)) {
      tried[arm >> 5u] |= 1u << (arm & 31u);
      atomicStore(&someUntried, 0u);
      for (var w = 0u; w < ARM_WORDS; w++) { noteUntried(w, tried[w]); }
    }
  }
  workgroupBarrier();
  for (var i = lane; i < DIMENSION; i += WIDTH) {
    let before = pairInverseSqrt(sums[i]);
    let after = pairInverseSqrt(sums[i + 1u]);
    let row = rowUpdate(sums[i], before, after, pairMul(weightOfHit, hitY[i]));
    keep[i] = row.keep;
    take[i] = row.take;
  }
  workgroupBarrier();
  for (var j = lane; j < DIMENSION; j += WIDTH) {
    var gain = vec2f(0.0);
    for (var i = j; i < DIMENSION; i++) {
      let p = place(i, j);
      let r = pairAt(home, p);
      putPair(arm, home, p, pairSub(pairMul(keep[i], r), pairMul(take[i], gain)));
      gain = pairMulAdd(hitY[i], r, gain);
    }
    let theta = pairMulAdd(gain, residualOfHit, pairAt(home, COEFFICIENTS + j));
    putPair(arm, home, COEFFICIENTS + j, theta);
    noteCoefficient(theta.x);
  }
  storageBarrier();
  workgroupBarrier();
}

fn putPair(arm: u32, home: u32, p: u32, value: vec2f) {
  putParts(home, SIZE, p, value);
  if (HELD && !FROZEN) { held[arm * (SIZE / 4u) + (p >> 2u)][p & 3u] = value.x; }
}
