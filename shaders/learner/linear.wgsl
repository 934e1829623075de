// Learners with a ridge regression per arm: linucb, lin-thompson, cemp (src/learner/ has their definitions).
//
// score(a) = θ_aᵀx + α ‖R_a x‖ z, with A_a⁻¹ = R_aᵀR_a: R_a is the inverse of the Cholesky factor of A_a, lower triangular,
// and z is 1 (linucb), a normal variate (lin-thompson), or the whole term is absent (cemp). Lanes score in f32. State is
// pairs of f32 (lib/pair.wgsl), so that updates do not drift, and what f32 leaves in doubt all lanes settle in pairs.
// Squares of R x cannot cancel as the terms of xᵀA⁻¹x do, which keeps the doubt small.
//
// An update by (x, r) with weight w (1; cemp: p (1 − p)) is closed-form: with y = R x and s_i = 1 + w Σ_{j ≤ i} y_j²,
//   R'_ij = √(s_{i−1}/s_i) R_ij − w y_i / √(s_i s_{i−1}) Σ_{j ≤ k < i} y_k R_kj,   θ' = θ + Rᵀy (r − prediction) / s_{d−1}.
// Columns of R are independent of one another: one lane each.
//
// Constants: LEARNER, DIMENSION = d; PAIRED (contexts have lower parts).
// features: contexts, rows of (d + 3) / 4 vec4; behind all of them their lower parts.
// Parameters: α (pair; v of lin-thompson), τ, base payoff (pair), payoff step (pair), offset (pair; cemp), 1/√λ.
// State: twice where FROZEN (decisions; learning). Per arm: R and θ, upper parts, then lower parts, then the number of
// updates (mod 2²⁰, and beyond). Last: largest |θ_j| so far.

const LINUCB = 0u;
const LIN_THOMPSON = 1u;
const CEMP = 2u;

// Short contexts are held in registers and R is packed by rows; else R lies in blocks of eight rows, column by column.
const SHORT = DIMENSION <= 16u;
const BLOCKS = (DIMENSION + 7u) / 8u;
const THETA = select(32u * BLOCKS * (BLOCKS - 1u) + 8u * DIMENSION, DIMENSION * (DIMENSION + 1u) / 2u, SHORT);
const SIZE = (THETA + DIMENSION + 3u) / 4u * 4u;
const ARM_STRIDE = 2u * SIZE + 4u;
const COPY = ARMS * ARM_STRIDE + 4u;
const QUADS = (DIMENSION + 3u) / 4u;
const X_LENGTH = select(1u, DIMENSION, SHORT);
const HELD_SIZE = select(1u, ARMS * SIZE, HELD);
const KEPT = select(1u, ARMS * WIDTH, INCREMENTAL);
const ARM_WORDS = (ARMS + 31u) / 32u;

const NONE = -1.0e30;
// Half an ulp of 1 in f32.
const UNIT = 5.9604645e-8;

var<workgroup> held: array<f32, HELD_SIZE>;
var<workgroup> kept: array<f32, KEPT>;
var<workgroup> tried: array<u32, ARM_WORDS>;
var<workgroup> largestTheta: atomic<u32>;
// The event of a hit: its context, R x and the prediction, and the coefficients of the update.
var<workgroup> hitX: array<vec2f, DIMENSION>;
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

// The lane's event.
var<private> x: array<f32, X_LENGTH>;
var<private> norm: f32;
var<private> largestNormal: f32;
// Its logged arm's score, and the largest score of lower and of higher arms; from kept scores where `ranked` is false.
var<private> own: f32;
var<private> lower: f32;
var<private> higher: f32;
var<private> ruledOut: bool;
var<private> ranked: bool;

fn place(i: u32, j: u32) -> u32 {
  if (SHORT) { return i * (i + 1u) / 2u + j; }
  let block = i >> 3u;
  return 32u * block * (block + 1u) + j * 8u + (i & 7u);
}

fn liveHome(arm: u32) -> u32 { return replica * params.stateStride + arm * ARM_STRIDE; }
fn nextHome(arm: u32) -> u32 { return liveHome(arm) + select(0u, COPY, FROZEN); }
fn stateAt(i: u32) -> f32 { return state[i >> 2u][i & 3u]; }
fn putState(i: u32, value: f32) { state[i >> 2u][i & 3u] = value; }
fn pairAt(home: u32, p: u32) -> vec2f { return vec2f(stateAt(home + p), stateAt(home + SIZE + p)); }
fn upper(arm: u32, p: u32) -> f32 {
  if (HELD) { return held[arm * SIZE + p]; }
  return stateAt(liveHome(arm) + p);
}

fn isTried(arm: u32) -> bool { return ((tried[arm >> 5u] >> (arm & 31u)) & 1u) != 0u; }

fn contextAt(local: u32, j: u32) -> f32 { return features[local * QUADS + (j >> 2u)][j & 3u]; }

// θᵀx and ‖R x‖² of the lane's event, in f32.
fn shortScore(arm: u32) -> vec2f {
  var mean = 0.0;
  var variance = 0.0;
  for (var j = 0u; j < X_LENGTH; j++) { mean += upper(arm, THETA + j) * x[j]; }
  if (LEARNER != CEMP) {
    for (var i = 0u; i < X_LENGTH; i++) {
      var y = 0.0;
      for (var j = 0u; j <= i; j++) { y += upper(arm, i * (i + 1u) / 2u + j) * x[j]; }
      variance += y * y;
    }
  }
  return vec2f(mean, variance);
}

fn longScore(arm: u32, local: u32) -> vec2f {
  let home = liveHome(arm);
  var mean = 0.0;
  var variance = 0.0;
  for (var j = 0u; j < params.dimension; j++) { mean += stateAt(home + THETA + j) * contextAt(local, j); }
  if (LEARNER == CEMP) { return vec2f(mean, 0.0); }
  for (var first = 0u; first < params.dimension; first += 8u) {
    // Eight rows share each load of x_j.
    var y0 = vec4f(0.0);
    var y1 = vec4f(0.0);
    let block = (home + place(first, 0u)) >> 2u;
    let columns = min(first + 8u, params.dimension);
    for (var j = 0u; j < columns; j++) {
      let xj = contextAt(local, j);
      y0 += state[block + j * 2u] * xj;
      y1 += state[block + j * 2u + 1u] * xj;
    }
    variance += dot(y0, y0) + dot(y1, y1);
  }
  return vec2f(mean, variance);
}

fn scoreArm(arm: u32, local: u32) -> f32 {
  var parts: vec2f;
  if (SHORT) { parts = shortScore(arm); } else { parts = longScore(arm, local); }
  if (LEARNER == CEMP) { return parts.x; }
  var width = settingF(0u) * sqrt(parts.y);
  if (LEARNER == LIN_THOMPSON) {
    let z = normal(drawWords(local, arm));
    largestNormal = max(largestNormal, abs(z));
    width *= z;
  }
  return parts.x + width;
}

fn beginReplica(lane: u32) {
  for (var w = lane; w < ARM_WORDS; w += WIDTH) {
    var bits = 0u;
    for (var arm = w * 32u; arm < min(ARMS, w * 32u + 32u); arm++) {
      let updates = liveHome(arm) + 2u * SIZE;
      if (stateAt(updates) + stateAt(updates + 1u) > 0.0) { bits |= 1u << (arm & 31u); }
    }
    tried[w] = bits;
  }
  holdState(lane);
  if (lane == 0u) { atomicStore(&largestTheta, bitcast<u32>(stateAt(nextHome(ARMS)))); }
  workgroupBarrier();
}

fn holdState(lane: u32) {
  if (!HELD) { return; }
  for (var i = lane; i < ARMS * SIZE; i += WIDTH) { held[i] = stateAt(liveHome(i / SIZE) + i % SIZE); }
}

fn startRanking() {
  own = NONE;
  lower = NONE;
  higher = NONE;
  ruledOut = false;
  ranked = true;
}

fn rank(event: Event, i: u32, score: f32) {
  if (i == event.arm) { own = score; return; }
  if (!isCandidate(event.pool, i)) { return; }
  if (LEARNER != LIN_THOMPSON && !isTried(armOf(i)) && !isTried(armOf(event.arm))) {
    // Both still have the prior, so they tie exactly, and the lower index wins.
    if (i < event.arm) { ruledOut = true; }
    return;
  }
  if (i < event.arm) { lower = max(lower, score); } else { higher = max(higher, score); }
}

fn scoreLane(event: Event, lane: u32) {
  var square = 0.0;
  for (var q = 0u; q < QUADS; q++) {
    let part = features[event.local * QUADS + q];
    square += dot(part, part);
    if (SHORT) { for (var c = 0u; c < 4u; c++) { if (q * 4u + c < X_LENGTH) { x[q * 4u + c] = part[c]; } } }
  }
  norm = sqrt(square);
  largestNormal = 1.0;
  startRanking();
  for (var i = 0u; i < params.arms; i++) {
    let score = scoreArm(armOf(i), event.local);
    if (INCREMENTAL) { kept[i * WIDTH + lane] = score; }
    rank(event, i, score);
  }
}

fn rescore(event: Event, lane: u32) {
  kept[hitEvent.arm * WIDTH + lane] = scoreArm(armOf(hitEvent.arm), event.local);
  ranked = false;
}

fn least(top: f32) -> f32 { return top - settingF(2u) * max(1.0, abs(top)); }

// Error of a score: rounding of dot products of length d, |θ_j| and ‖R‖ at their largest.
fn band(largest: f32) -> f32 {
  let root = sqrt(f32(DIMENSION));
  var width = 0.0;
  if (LEARNER != CEMP) { width = settingF(0u) * settingF(9u) * (root + 8.0) * largestNormal; }
  let theta = bitcast<f32>(atomicLoad(&largestTheta));
  return 4.0 * UNIT * (norm * (root * theta + width) + max(1.0, abs(largest)));
}

fn judge(event: Event, lane: u32) -> u32 {
  if (INCREMENTAL && !ranked) {
    startRanking();
    for (var i = 0u; i < params.arms; i++) { rank(event, i, kept[i * WIDTH + lane]); }
  }
  if (ruledOut) { return NO; }
  let top = max(own, higher);
  let e = band(max(top, lower));
  if (own + e < least(higher - e) || lower - e >= least(top + e)) { return NO; }
  if (own - e >= least(higher + e) && lower + e < least(top - e)) { return YES; }
  return DOUBT;
}

fn publish(event: Event, lane: u32) {
  let top = max(max(own, higher), lower);
  cutoff = least(top) - 4.0 * band(top);
}

fn loadHit(lane: u32) {
  for (var j = lane; j < DIMENSION; j += WIDTH) {
    var low = 0.0;
    if (PAIRED) { low = contextAt(params.lowFeatures + hitEvent.local, j); }
    hitX[j] = vec2f(contextAt(hitEvent.local, j), low);
  }
  workgroupBarrier();
}

// Σ state[p(j)] x_j of the hit in pairs: row i of R, or θ where i = d.
fn hitRow(home: u32, i: u32) -> vec2f {
  var sum = vec2f(0.0);
  if (i == DIMENSION) {
    for (var j = 0u; j < DIMENSION; j++) { sum = pairMulAdd(pairAt(home, THETA + j), hitX[j], sum); }
  } else {
    for (var j = 0u; j <= i; j++) { sum = pairMulAdd(pairAt(home, place(i, j)), hitX[j], sum); }
  }
  return sum;
}

// f32 score of the hit, for a look at which arms matter.
fn roughHitScore(arm: u32) -> f32 {
  let home = liveHome(arm);
  var mean = 0.0;
  for (var j = 0u; j < DIMENSION; j++) { mean += stateAt(home + THETA + j) * hitX[j].x; }
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
    if (i == DIMENSION) { mean = hitRow(home, i); }
    else if (LEARNER != CEMP) {
      let y = hitRow(home, i);
      variance = pairMulAdd(y, y, variance);
    }
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

fn leastPair(top: vec2f) -> vec2f {
  return pairSub(top, pairScale(pairMax(pairOf(1.0), pairAbs(top)), settingF(2u)));
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
  let chosen = !pairLess(own, leastPair(higher)) && pairLess(lower, leastPair(pairMax(own, higher)));
  if (lane == 0u) { settled = select(0u, 1u, chosen); }
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
    let updates = home + 2u * SIZE;
    let count = stateAt(updates) + 1.0;
    putState(updates, select(count, 0.0, count == 1048576.0));
    if (count == 1048576.0) { putState(updates + 1u, stateAt(updates + 1u) + 1.0); }
    if (!FROZEN) { tried[arm >> 5u] |= 1u << (arm & 31u); }
  }
  workgroupBarrier();
  for (var i = lane; i < DIMENSION; i += WIDTH) {
    let before = pairInverseSqrt(sums[i]);
    let after = pairInverseSqrt(sums[i + 1u]);
    keep[i] = pairMul(pairMul(sums[i], before), after);
    take[i] = pairMul(pairMul(weightOfHit, hitY[i]), pairMul(before, after));
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
    let theta = pairMulAdd(gain, residualOfHit, pairAt(home, THETA + j));
    putPair(arm, home, THETA + j, theta);
    atomicMax(&largestTheta, bitcast<u32>(abs(theta.x)));
  }
  storageBarrier();
  workgroupBarrier();
}

fn putPair(arm: u32, home: u32, p: u32, value: vec2f) {
  putState(home + p, value.x);
  putState(home + SIZE + p, value.y);
  if (HELD && !FROZEN) { held[arm * SIZE + p] = value.x; }
}

fn learnWindow(event: Event, consumed: bool, lane: u32) {}

fn beginEpoch(lane: u32) {
  for (var i = lane; i < COPY / 4u; i += WIDTH) { state[(liveHome(0u) >> 2u) + i] = state[(nextHome(0u) >> 2u) + i]; }
  storageBarrier();
  beginReplica(lane);
}

fn endReplica(lane: u32) {
  if (lane == 0u) { putState(nextHome(ARMS), bitcast<f32>(atomicLoad(&largestTheta))); }
}
