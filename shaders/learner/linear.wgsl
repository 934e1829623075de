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
// SLOTS = 4. Constants: LEARNER, DIMENSION = d; PAIRED (contexts have lower parts); HELD (state in workgroup memory).
// features, state: lib/arm-state.wgsl, with R and θ of order d.
// Words behind the arms (cemp): farthest overshoot, and how many there were (mod 2²⁰, and beyond).
// Parameters: α (pair; v of lin-thompson), τ, base payoff (pair), payoff step (pair), offset (pair; cemp), 1/√λ.

const LINUCB = 0u;
const LIN_THOMPSON = 1u;
const CEMP = 2u;

const LENGTH = DIMENSION;
const X_LENGTH = select(1u, QUADS * 4u, SHORT);
const KEPT = select(1u, LOCAL_ARMS * WIDTH, INCREMENTAL);

var<workgroup> kept: array<vec4f, KEPT>;
// 1 while some arm of the chunk has learnt nothing.
var<workgroup> someUntried: atomic<u32>;
// The event of a hit: R x and the prediction, and the coefficients of the update.
var<workgroup> hitY: array<vec2f, DIMENSION + 1u>;
var<workgroup> keep: array<vec2f, DIMENSION>;
var<workgroup> take: array<vec2f, DIMENSION>;
var<workgroup> cutoff: f32;
var<workgroup> contenders: array<atomic<u32>, ARM_WORDS>;
var<workgroup> partialMean: array<vec2f, WIDTH>;
var<workgroup> partialVariance: array<vec2f, WIDTH>;
var<workgroup> together: u32;

// The lane's four events, as components: contexts, their norms, the logged arms and pools.
var<private> x: array<vec4f, X_LENGTH>;
var<private> norm: vec4f;
var<private> loggedArm: vec4u;
var<private> pool: vec4u;
var<private> largestNormal: vec4f;
// MIXED: arms that are candidates at one of them.
var<private> laneArms: array<u32, ARM_WORDS>;
// Whether the logged arms have the prior.
var<private> untried: vec4<bool>;
// α; v of lin-thompson.
var<private> bonus: f32;

fn noteUntried(i: u32) { if (!isTried(armOf(i))) { atomicStore(&someUntried, 1u); } }

// Feature j .. j + 3 of the lane's events: component c of row s belongs to slot s.
fn contextQuads(q: u32) -> mat4x4f {
  return mat4x4f(
    features[mine[0].local * QUADS + q],
    features[mine[1].local * QUADS + q],
    features[mine[2].local * QUADS + q],
    features[mine[3].local * QUADS + q]);
}

// θᵀx and ‖R x‖² of the lane's events, in f32. `shortParts` is written out for d by src/engine/learner-gpu/linear-scores.ts,
// and so is `skips(i)`: local arm i is no candidate at any of them, and lanes may part.
struct Parts { mean: vec4f, variance: vec4f }

fn longParts(home: u32) -> Parts {
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

// Of local arm i.
fn scoreArm(i: u32) -> vec4f {
  let home = liveHome(armOf(i));
  var parts: Parts;
  if (SHORT) { parts = shortParts(i, home); } else { parts = longParts(home); }
  if (LEARNER == CEMP) { return parts.mean; }
  var width = bonus * sqrt(parts.variance);
  if (LEARNER == LIN_THOMPSON) {
    var z: vec4f;
    for (var slot = 0u; slot < 4u; slot++) { z[slot] = normal(drawWords(mine[slot].local, armOf(i))); }
    largestNormal = max(largestNormal, abs(z));
    width *= z;
  }
  return parts.mean + width;
}

fn readLive(lane: u32) {
  bonus = select(settingF(0u), 0.0, LEARNER == CEMP);
  if (lane == 0u) { atomicStore(&someUntried, 0u); }
  for (var w = lane; w < ARM_WORDS; w += WIDTH) { tried[w] = triedBits(w); }
  readHeld(lane);
  workgroupBarrier();
  for (var i = lane; i < params.arms; i += WIDTH) { noteUntried(i); }
  workgroupBarrier();
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
  let all = !INCREMENTAL || last - first == params.arms;
  let before = untried;
  untried = untriedLogged();
  if (all) {
    own = vec4f(NONE);
    startRivals();
    if (!INCREMENTAL) { startRanking(); }
  }
  for (var i = first; i < last; i++) {
    if (skips(i)) { continue; }
    let score = select(vec4f(NONE), scoreArm(i), candidates(i));
    own = select(own, score, loggedArm == vec4u(i));
    if (INCREMENTAL) { kept[i * WIDTH + lane] = score; } else { rank(i, score); }
    if (all) { meet(i, score); } else { meetAgain(i, score); }
  }
  if (all) {
    decideMet();
    return;
  }
  decide();
  let open = !beaten & !chosen & undecided(lane);
  if (any(open | untried | before)) {
    startRivals();
    for (var i = 0u; i < params.arms; i++) {
      if (!skips(i)) { meet(i, kept[i * WIDTH + lane]); }
    }
    decideMet();
  }
}

// Slots whose events are still to be decided.
fn undecided(lane: u32) -> vec4<bool> {
  let place = vec4u(lane * 4u) + vec4u(0u, 1u, 2u, 3u);
  return (place >= vec4u(decided)) & vec4<bool>(present[0], present[1], present[2], present[3]);
}

fn band(largest: vec4f) -> vec4f { return scoreErrors(bonus * largestNormal, norm, largest); }

fn judge(slot: u32, lane: u32) -> u32 {
  if (beaten[slot]) { return NO; }
  if (chosen[slot]) { return YES; }
  if (INCREMENTAL) {
    startRanking();
    for (var i = 0u; i < params.arms; i++) {
      if (!skips(i)) { rank(i, kept[i * WIDTH + lane]); }
    }
  }
  return verdict(own[slot], lower[slot], higher[slot], band(max(own, most))[slot]);
}

fn publish(slot: u32, lane: u32) {
  // Scores that arms have, not `most`: a cutoff that is too high would lose contenders.
  let top = max(own, max(rivalScore, secondScore));
  cutoff = least(top[slot]) - 4.0 * band(top)[slot];
}

// Row n of R of a local arm times x of the hit, in pairs; θᵀx where n = d.
fn hitRow(i: u32, home: u32, n: u32) -> vec2f {
  var sum = vec2f(0.0);
  let prediction = n == DIMENSION;
  let last = select(n, DIMENSION - 1u, prediction);
  for (var j = 0u; j <= last; j++) {
    sum = pairMulAdd(armPair(i, home, select(place(n, j), COEFFICIENTS + j, prediction)), hitX[j], sum);
  }
  return sum;
}

// f32 score of the hit, for a look at which arms matter.
fn roughHitScore(i: u32) -> f32 {
  let home = liveHome(armOf(i));
  var mean = 0.0;
  for (var j = 0u; j < DIMENSION; j++) { mean += upperAt(i, home, COEFFICIENTS + j) * hitX[j].x; }
  if (LEARNER == CEMP) { return mean; }
  var variance = 0.0;
  for (var n = 0u; n < DIMENSION; n++) {
    var y = 0.0;
    for (var j = 0u; j <= n; j++) { y += upperAt(i, home, place(n, j)) * hitX[j].x; }
    variance += y * y;
  }
  var width = bonus * sqrt(variance);
  if (LEARNER == LIN_THOMPSON) { width *= normal(drawWords(hitEvent.local, armOf(i))); }
  return mean + width;
}

// Score of the hit in pairs; rows are shared out among the lanes. All lanes get it.
fn hitScore(i: u32, lane: u32) -> vec2f {
  let home = liveHome(armOf(i));
  var mean = vec2f(0.0);
  var variance = vec2f(0.0);
  for (var n = lane; n <= DIMENSION; n += WIDTH) {
    if (n < DIMENSION && LEARNER == CEMP) { continue; }
    let y = hitRow(i, home, n);
    if (n == DIMENSION) { mean = y; } else { variance = pairMulAdd(y, y, variance); }
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
  if (LEARNER == LIN_THOMPSON) { width = pairMul(width, normalPair(drawWords(hitEvent.local, armOf(i)))); }
  return pairAdd(mean, width);
}

fn decideTogether(lane: u32) -> bool {
  loadHit(lane);
  for (var w = lane; w < ARM_WORDS; w += WIDTH) { atomicStore(&contenders[w], 0u); }
  workgroupBarrier();
  for (var i = lane; i < params.arms; i += WIDTH) {
    if (!isCandidate(hitEvent.pool, i)) { continue; }
    if (i == hitEvent.arm || roughHitScore(i) >= cutoff) { atomicOr(&contenders[i >> 5u], 1u << (i & 31u)); }
  }
  var own = pairOf(NONE);
  var lower = pairOf(NONE);
  var higher = pairOf(NONE);
  for (var w = 0u; w < ARM_WORDS; w++) {
    var bits = workgroupUniformLoad(&contenders[w]);
    while (bits != 0u) {
      let i = w * 32u + firstTrailingBit(bits);
      bits &= bits - 1u;
      let score = hitScore(i, lane);
      if (i == hitEvent.arm) { own = score; }
      else if (i < hitEvent.arm) { lower = pairMax(lower, score); }
      else { higher = pairMax(higher, score); }
    }
  }
  if (lane == 0u) { together = select(0u, 1u, wins(own, lower, higher)); }
  return workgroupUniformLoad(&together) != 0u;
}

// -ln likelihood of a payoff: ln(1 + e^-z) and ln(1 + e^z), weighed. One logarithm serves both.
fn pairLoss(z: vec2f, payoff: vec2f) -> vec2f {
  let rest = pairLog(pairAdd(pairOf(1.0), pairExp(-pairAbs(z))));
  let hit = pairMul(payoff, pairAdd(rest, pairMax(-z, pairOf(0.0))));
  let miss = pairMul(pairSub(pairOf(1.0), payoff), pairAdd(rest, pairMax(z, pairOf(0.0))));
  return pairAdd(hit, miss);
}

// Counts an update that raises the loss it is to lower (src/learner/linear/cemp.ts), by one lane. It cannot where q = x^T A^-1 x <= 4:
// the loss's curvature is at most 1/4, so the step, which moves z by m, raises it by at most m^2 (1/8 - 1/(2q)).
fn countOvershoot(z: vec2f, payoff: vec2f, residual: vec2f) {
  var q = vec2f(0.0);
  for (var i = 0u; i < DIMENSION; i++) { q = pairMulAdd(hitY[i], hitY[i], q); }
  if (q.x <= 4.0) { return; }
  let shift = pairMul(q, residual);
  let before = pairLoss(z, payoff);
  let after = pairMulAdd(pairScale(residual, 0.5), shift, pairLoss(pairAdd(z, shift), payoff));
  if (!pairLess(pairMulAdd(pairOf(1.0e-9), pairAdd(pairOf(1.0), before), before), after)) { return; }
  let tail = nextHome(ARMS);
  putState(tail + 1u, max(stateAt(tail + 1u), abs(shift.x)));
  let count = stateAt(tail + 2u) + 1.0;
  putState(tail + 2u, select(count, 0.0, count == 1048576.0));
  if (count == 1048576.0) { putState(tail + 3u, stateAt(tail + 3u) + 1.0); }
}

fn learn(lane: u32) {
  let arm = armOf(hitEvent.arm);
  let home = nextHome(arm);
  loadHit(lane);
  for (var i = lane; i <= DIMENSION; i += WIDTH) { hitY[i] = hitRow(hitEvent.arm, home, i); }
  if (lane == 0u) {
    countUpdate(arm);
    if (!FROZEN && !isTried(arm)) {
      tried[arm >> 5u] |= 1u << (arm & 31u);
      atomicStore(&someUntried, 0u);
      for (var i = 0u; i < params.arms; i++) { noteUntried(i); }
    }
  }
  workgroupBarrier();
  // Every lane finds the sums that all need.
  let payoff = pairMulAdd(pairFromU32(hitEvent.steps), settingPair(5u), settingPair(3u));
  var prediction = hitY[DIMENSION];
  var weight = pairOf(1.0);
  var logit = vec2f(0.0);
  if (LEARNER == CEMP) {
    prediction = pairAdd(settingPair(7u), prediction);
    logit = prediction;
    prediction = pairSigmoid(prediction);
    weight = pairMul(prediction, pairSub(pairOf(1.0), prediction));
  }
  var sum = pairOf(1.0);
  for (var first = 0u; first < DIMENSION; first += WIDTH) {
    var before = sum;
    var after = sum;
    for (var i = first; i < min(first + WIDTH, DIMENSION); i++) {
      let y = hitY[i];
      let next = pairMulAdd(pairMul(weight, y), y, sum);
      if (i == first + lane) {
        before = sum;
        after = next;
      }
      sum = next;
    }
    let i = first + lane;
    if (i < DIMENSION) {
      let row = rowUpdate(before, pairInverseSqrt(before), pairInverseSqrt(after), pairMul(weight, hitY[i]));
      keep[i] = row.keep;
      take[i] = row.take;
    }
  }
  let residual = pairDiv(pairSub(payoff, prediction), sum);
  if (LEARNER == CEMP && lane == 0u) { countOvershoot(logit, payoff, residual); }
  workgroupBarrier();
  for (var j = lane; j < DIMENSION; j += WIDTH) {
    var gain = vec2f(0.0);
    for (var i = j; i < DIMENSION; i++) {
      let p = place(i, j);
      let r = armPair(hitEvent.arm, home, p);
      putPair(hitEvent.arm, home, p, pairSub(pairMul(keep[i], r), pairMul(take[i], gain)));
      gain = pairMulAdd(hitY[i], r, gain);
    }
    let theta = pairMulAdd(gain, residual, armPair(hitEvent.arm, home, COEFFICIENTS + j));
    putPair(hitEvent.arm, home, COEFFICIENTS + j, theta);
    noteCoefficient(theta.x);
  }
  if (!HELD_LOW) { storageBarrier(); }
  workgroupBarrier();
}
