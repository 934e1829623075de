// The hybrid linear model: linucb-hybrid (src/learner/linear/hybrid-model.ts has the symbols).
//
// score(a) = t_aᵀe + α ‖F_a e‖, Q_a = F_aᵀF_a, F_a lower triangular; e is the context x, followed by a 1 where z is the arm's
// features alone. Lanes need t_a and F_a only and score in f32, as learner/linear.wgsl does; all else is pairs.
//
// Everything symmetric is kept as a factor S = RᵀR (A_a⁻¹: R_a, A₀⁻¹: R₀, Q_a: F_a). In one-hot contexts with an intercept
// S keeps an eigenvalue 1/λ that no context sees, beside others that shrink as 1/n: in f32 xᵀSx cancels down to some 1e-5
// of √s and even pairs drift to 1e-6 in 10⁵ updates, while ‖Rx‖² cannot cancel (1e-12).
//
// An update is S ← S − h hᵀτ. With h = Rᵀy that is the update of lib/factor.wgsl by y with weight w = τ/(1 − τ yᵀy):
//   R_c: y = R_c x, w = 1;   R₀: y₀ = R₀ W_c e, u = R₀ᵀy₀, w = 1/(1 + q), q = ‖R_c x‖²;
//   F_c: y = F_c e, w = 1;   F_a: F_aᵀy = h_a = W_aᵀu, w = 1/(1 + s − yᵀy), s = ‖F_c e‖² ≥ yᵀy.
// An arm's features do not change, so W_a takes no room: B_a = (Σ xeᵀ)Z_aᵀ makes it λ Z_a A_a⁻¹ (PRODUCT), else
// f_a (g_a, 1)ᵀ with f_a the features and g_a = −A_a⁻¹ Σ x, for which g_c ← g_c − v ((g_c, 1)ᵀe)/(1 + q), v = R_cᵀR_c x.
//
// Constants: DIMENSION = d; PRODUCT (z is the features times the context; else e ends with a 1); ARM_FEATURES, how many an
// arm has; ALIKE (some arms have equal features); PAIRED (contexts have lower parts).
// features, and the state of F_a and t_a: lib/arm-state.wgsl, of order m, the length of e; behind the number of
// updates, the first arm with equal features.
// Parameters: α (pair), τ, base payoff (pair), payoff step (pair), λ (pair), largest ‖F_a‖ of the prior.
// State behind that: per arm R_a, upper parts, then lower parts; and pairs: per arm g_a, f_a and scratch (AUX_ places); R₀,
// β, scratch of length k.

const LENGTH = select(DIMENSION + 1u, DIMENSION, PRODUCT);
const Z_LENGTH = select(ARM_FEATURES, ARM_FEATURES * DIMENSION, PRODUCT);

// R lies as F does.
const X_BLOCKS = (DIMENSION + 7u) / 8u;
const R_SIZE = select(32u * X_BLOCKS * (X_BLOCKS - 1u) + 8u * DIMENSION, DIMENSION * (DIMENSION + 1u) / 2u, SHORT);

// Places of pairs.
const AUX_G = R_SIZE;
const AUX_FEATURES = AUX_G + select(DIMENSION, 0u, PRODUCT);
const AUX_Y = AUX_FEATURES + ARM_FEATURES;
const AUX_GAIN = AUX_Y + select(LENGTH, 0u, SHORT);
const AUX = AUX_GAIN + select(LENGTH, 0u, SHORT);
const FACTOR = ARMS * AUX;
const BETA = FACTOR + Z_LENGTH * (Z_LENGTH + 1u) / 2u;
// w = W_c e, and later the sums of the update of R₀.
const W = BETA + Z_LENGTH;
const Y = W + Z_LENGTH;
const U = Y + Z_LENGTH;
const KEEP = U + Z_LENGTH;
const TAKE = KEEP + Z_LENGTH;

const X_LENGTH = select(1u, LENGTH, SHORT);
const HELD_SIZE = select(1u, ARMS * SIZE, HELD);

var<workgroup> held: array<f32, HELD_SIZE>;
// The event of a hit (its e is hitX), by arm c: R_c x, F_c e, v = A_c⁻¹x.
var<workgroup> hitR: array<vec2f, DIMENSION>;
var<workgroup> hitF: array<vec2f, LENGTH>;
var<workgroup> hitV: array<vec2f, DIMENSION>;
// t_cᵀe; (g_c, 1)ᵀe; 1/(1 + q); s; (r − t_cᵀe)/(1 + s).
var<workgroup> meanOfHit: vec2f;
var<workgroup> shareOfHit: vec2f;
var<workgroup> shrinkOfHit: vec2f;
var<workgroup> varianceOfHit: vec2f;
var<workgroup> stepOfHit: vec2f;
// Of a doubtful decision: the logged arm's score, and what each lane found among lower and higher arms.
var<workgroup> ownScore: vec2f;
var<workgroup> lowers: array<vec2f, WIDTH>;
var<workgroup> highers: array<vec2f, WIDTH>;
var<workgroup> together: u32;

// The lane's event.
var<private> x: array<f32, X_LENGTH>;
var<private> norm: f32;
// Its logged arm's score, and the largest score of lower and of higher arms.
var<private> own: f32;
var<private> lower: f32;
var<private> higher: f32;
var<private> ruledOut: bool;
// Of the arm whose factor the lane updates.
var<private> ys: array<vec2f, X_LENGTH>;
var<private> gains: array<vec2f, X_LENGTH>;

// Lengths as the compiler must not know them, or it unrolls loops over pairs for seconds.
fn eLength() -> u32 { return LENGTH | params.zero; }
fn zLength() -> u32 { return Z_LENGTH | params.zero; }
fn armFeatures() -> u32 { return ARM_FEATURES | params.zero; }
fn arms() -> u32 { return ARMS | params.zero; }

fn rPairAt(arm: u32, p: u32) -> vec2f { return partsAt(restWord(arm * AUX), R_SIZE, p); }
fn upper(arm: u32, p: u32) -> f32 {
  if (HELD) { return held[arm * SIZE + p]; }
  return stateAt(liveHome(arm) + p);
}

// All else.
fn restWord(p: u32) -> u32 { return replica * params.stateStride + COPIES * COPY + 2u * p; }
fn rest(p: u32) -> vec2f {
  let i = restWord(p);
  return vec2f(stateAt(i), stateAt(i + 1u));
}
fn putRest(p: u32, value: vec2f) {
  let i = restWord(p);
  putState(i, value.x);
  putState(i + 1u, value.y);
}

fn yAt(arm: u32, i: u32) -> vec2f {
  if (SHORT) { return ys[i]; }
  return rest(arm * AUX + AUX_Y + i);
}
fn putY(arm: u32, i: u32, value: vec2f) {
  if (SHORT) { ys[i] = value; } else { putRest(arm * AUX + AUX_Y + i, value); }
}
fn gainAt(arm: u32, i: u32) -> vec2f {
  if (SHORT) { return gains[i]; }
  return rest(arm * AUX + AUX_GAIN + i);
}
fn putGain(arm: u32, i: u32, value: vec2f) {
  if (SHORT) { gains[i] = value; } else { putRest(arm * AUX + AUX_GAIN + i, value); }
}

fn kindOf(arm: u32) -> f32 { return stateAt(liveHome(arm) + 2u * SIZE + 2u); }

// t_aᵀe and ‖F_a e‖² of the lane's event, in f32.
fn shortScore(arm: u32) -> vec2f {
  var mean = 0.0;
  var variance = 0.0;
  for (var i = 0u; i < X_LENGTH; i++) {
    mean += upper(arm, COEFFICIENTS + i) * x[i];
    var y = 0.0;
    for (var j = 0u; j <= i; j++) { y += upper(arm, triangle(i, j)) * x[j]; }
    variance += y * y;
  }
  return vec2f(mean, variance);
}

fn longScore(arm: u32, local: u32) -> vec2f {
  let home = liveHome(arm);
  let length = eLength();
  var mean = 0.0;
  var variance = 0.0;
  for (var j = 0u; j < length; j++) { mean += stateAt(home + COEFFICIENTS + j) * contextAt(local, j); }
  for (var first = 0u; first < length; first += 8u) {
    // Eight rows share each load of e_j.
    var y0 = vec4f(0.0);
    var y1 = vec4f(0.0);
    let block = (home + place(first, 0u)) >> 2u;
    let columns = min(first + 8u, length);
    for (var j = 0u; j < columns; j++) {
      let ej = contextAt(local, j);
      y0 += state[block + j * 2u] * ej;
      y1 += state[block + j * 2u + 1u] * ej;
    }
    variance += dot(y0, y0) + dot(y1, y1);
  }
  return vec2f(mean, variance);
}

fn scoreArm(arm: u32, local: u32) -> f32 {
  var parts: vec2f;
  if (SHORT) { parts = shortScore(arm); } else { parts = longScore(arm, local); }
  return parts.x + settingF(0u) * sqrt(parts.y);
}

fn readLive(lane: u32) {
  for (var w = lane; w < ARM_WORDS; w += WIDTH) { tried[w] = triedBits(w); }
  if (HELD) { for (var i = lane; i < ARMS * SIZE; i += WIDTH) { held[i] = stateAt(liveHome(i / SIZE) + i % SIZE); } }
  workgroupBarrier();
}

fn rank(event: Event, i: u32, score: f32) {
  if (i == event.arm) { own = score; return; }
  if (ALIKE) {
    // What is learnt from other arms changes Q_a and t_a by W_a alone, so arms with equal features tie exactly until one
    // of them is learnt from, and the lower index wins.
    let arm = armOf(i);
    let other = armOf(event.arm);
    if (!isTried(arm) && !isTried(other) && kindOf(arm) == kindOf(other)) {
      if (i < event.arm) { ruledOut = true; }
      return;
    }
  }
  if (i < event.arm) { lower = max(lower, score); } else { higher = max(higher, score); }
}

fn loadLane(lane: u32) {
  let event = mine[0];
  var square = f32(LENGTH - DIMENSION);
  for (var q = 0u; q < QUADS; q++) {
    let part = features[event.local * QUADS + q];
    square += dot(part, part);
    if (SHORT) { for (var c = 0u; c < 4u; c++) { if (q * 4u + c < DIMENSION) { x[q * 4u + c] = part[c]; } } }
  }
  if (SHORT && !PRODUCT) { x[X_LENGTH - 1u] = 1.0; }
  norm = sqrt(square);
}

// An update changes the scores of all arms, so that a window starts again behind it.
fn scoreArms(first: u32, last: u32, lane: u32) {
  let event = mine[0];
  own = NONE;
  lower = NONE;
  higher = NONE;
  ruledOut = false;
  for (var i = 0u; i < params.arms; i++) {
    if (isCandidate(event.pool, i)) { rank(event, i, scoreArm(armOf(i), event.local)); }
  }
}

fn judge(slot: u32, lane: u32) -> u32 {
  if (ruledOut) { return NO; }
  return verdict(own, lower, higher, scoreError(settingF(0u), norm, max(max(own, higher), lower)));
}

fn publish(slot: u32, lane: u32) {}

// Row i of F times e of the hit in pairs, or tᵀe where i = m.
fn hitRow(home: u32, i: u32) -> vec2f {
  var sum = vec2f(0.0);
  if (i == eLength()) {
    for (var j = 0u; j < eLength(); j++) { sum = pairMulAdd(pairAt(home, COEFFICIENTS + j), hitX[j], sum); }
  } else {
    for (var j = 0u; j <= i; j++) { sum = pairMulAdd(pairAt(home, place(i, j)), hitX[j], sum); }
  }
  return sum;
}

// Score of the hit in pairs.
fn hitScore(arm: u32) -> vec2f {
  let home = liveHome(arm);
  var variance = vec2f(0.0);
  for (var i = 0u; i < eLength(); i++) {
    let y = hitRow(home, i);
    variance = pairMulAdd(y, y, variance);
  }
  return pairMulAdd(settingPair(0u), pairSqrt(variance), hitRow(home, eLength()));
}

// One lane per arm: rows of one arm at a time would end sooner where m is large, at a barrier per arm.
fn decideTogether(lane: u32) -> bool {
  loadHit(lane);
  var own = pairOf(NONE);
  var lower = pairOf(NONE);
  var higher = pairOf(NONE);
  for (var i = lane; i < params.arms; i += WIDTH) {
    if (!isCandidate(hitEvent.pool, i)) { continue; }
    let score = hitScore(armOf(i));
    if (i == hitEvent.arm) { own = score; }
    else if (i < hitEvent.arm) { lower = pairMax(lower, score); }
    else { higher = pairMax(higher, score); }
  }
  if (lane == hitEvent.arm % WIDTH) { ownScore = own; }
  lowers[lane] = lower;
  highers[lane] = higher;
  workgroupBarrier();
  if (lane == 0u) {
    for (var other = 1u; other < (WIDTH | params.zero); other++) {
      lower = pairMax(lower, lowers[other]);
      higher = pairMax(higher, highers[other]);
    }
    together = select(0u, 1u, wins(ownScore, lower, higher));
  }
  return workgroupUniformLoad(&together) != 0u;
}

// Row i of a packed factor times a vector of pairs, both at places of `rest`.
fn restRow(factor: u32, i: u32, vector: u32) -> vec2f {
  var sum = vec2f(0.0);
  for (var j = 0u; j <= i; j++) { sum = pairMulAdd(rest(factor + triangle(i, j)), rest(vector + j), sum); }
  return sum;
}

fn learn(lane: u32) {
  let arm = armOf(hitEvent.arm);
  let aux = arm * AUX;
  // Work of one lane goes to the last: the first ones are busy.
  let last = lane == WIDTH - 1u;
  loadHit(lane);

  for (var n = lane; n < params.dimension + eLength() + 2u; n += WIDTH) {
    if (n <= eLength()) {
      let y = hitRow(nextHome(arm), n);
      if (n == eLength()) { meanOfHit = y; } else { hitF[n] = y; }
      continue;
    }
    let i = n - eLength() - 1u;
    var sum = vec2f(0.0);
    if (i < params.dimension) {
      for (var j = 0u; j <= i; j++) { sum = pairMulAdd(rPairAt(arm, place(i, j)), hitX[j], sum); }
      hitR[i] = sum;
    } else if (!PRODUCT) {
      sum = pairOf(1.0);
      for (var j = 0u; j < params.dimension; j++) { sum = pairMulAdd(rest(aux + AUX_G + j), hitX[j], sum); }
      shareOfHit = sum;
    }
  }
  workgroupBarrier();

  for (var j = lane; j < params.dimension; j += WIDTH) {
    var v = vec2f(0.0);
    for (var i = j; i < params.dimension; i++) { v = pairMulAdd(rPairAt(arm, place(i, j)), hitR[i], v); }
    hitV[j] = v;
  }
  if (last) { measureHit(arm); }
  workgroupBarrier();

  for (var n = lane; n < zLength(); n += WIDTH) {
    var w: vec2f;
    if (PRODUCT) {
      let feature = rest(aux + AUX_FEATURES + n / params.dimension);
      w = pairMul(pairMul(settingPair(7u), feature), hitV[n % params.dimension]);
    } else { w = pairMul(rest(aux + AUX_FEATURES + n), shareOfHit); }
    putRest(W + n, w);
  }
  storageBarrier();
  workgroupBarrier();

  for (var i = lane; i < zLength(); i += WIDTH) { putRest(Y + i, restRow(FACTOR, i, W)); }
  storageBarrier();
  workgroupBarrier();

  for (var j = lane; j < zLength(); j += WIDTH) {
    var u = vec2f(0.0);
    for (var i = j; i < zLength(); i++) { u = pairMulAdd(rest(FACTOR + triangle(i, j)), rest(Y + i), u); }
    putRest(U + j, u);
    putRest(BETA + j, pairMulAdd(u, stepOfHit, rest(BETA + j)));
  }
  if (last) {
    var sum = pairOf(1.0);
    for (var i = 0u; i < zLength(); i++) {
      let y = rest(Y + i);
      sum = pairMulAdd(pairMul(shrinkOfHit, y), y, sum);
      putRest(W + i, sum);
    }
  }
  storageBarrier();
  workgroupBarrier();

  for (var a = lane; a < arms(); a += WIDTH) { learnArm(a, a == arm); }
  for (var i = WIDTH - 1u - lane; i < zLength(); i += WIDTH) {
    var sum = pairOf(1.0);
    if (i > 0u) { sum = rest(W + i - 1u); }
    let before = pairInverseSqrt(sum);
    let after = pairInverseSqrt(rest(W + i));
    let row = rowUpdate(sum, before, after, pairMul(shrinkOfHit, rest(Y + i)));
    putRest(KEEP + i, row.keep);
    putRest(TAKE + i, row.take);
  }
  storageBarrier();
  workgroupBarrier();

  for (var j = lane; j < zLength(); j += WIDTH) {
    var gain = vec2f(0.0);
    for (var i = j; i < zLength(); i++) {
      let p = FACTOR + triangle(i, j);
      let r = rest(p);
      putRest(p, pairSub(pairMul(rest(KEEP + i), r), pairMul(rest(TAKE + i), gain)));
      gain = pairMulAdd(rest(Y + i), r, gain);
    }
  }
  storageBarrier();
  workgroupBarrier();
}

// q, s and the step that t and β take; counts the update.
fn measureHit(arm: u32) {
  var q = pairOf(1.0);
  for (var i = 0u; i < params.dimension; i++) { q = pairMulAdd(hitR[i], hitR[i], q); }
  shrinkOfHit = pairInverse(q);
  var s = vec2f(0.0);
  for (var i = 0u; i < eLength(); i++) { s = pairMulAdd(hitF[i], hitF[i], s); }
  varianceOfHit = s;
  let payoff = pairMulAdd(pairFromU32(hitEvent.steps), settingPair(5u), settingPair(3u));
  stepOfHit = pairDiv(pairSub(payoff, meanOfHit), pairAdd(pairOf(1.0), s));
  countUpdate(arm);
  if (!FROZEN) { tried[arm >> 5u] |= 1u << (arm & 31u); }
}

// F_a and t_a of one arm, by one lane; of the hit's arm R and g too.
fn learnArm(arm: u32, isHit: bool) {
  let home = nextHome(arm);
  var weight = pairOf(1.0);
  if (isHit) {
    if (!PRODUCT) {
      let part = pairMul(shareOfHit, shrinkOfHit);
      for (var j = 0u; j < params.dimension; j++) {
        let p = arm * AUX + AUX_G + j;
        putRest(p, pairMulAdd(-hitV[j], part, rest(p)));
      }
    }
  } else {
    findShift(arm);
    // Fᵀy = h, from the last row on.
    var left = varianceOfHit;
    for (var i = eLength(); i > 0u; i--) {
      let pivot = pairAt(home, place(i - 1u, i - 1u));
      var y = vec2f(0.0);
      // An arm whose features are all 0 has a row of zeros.
      if (pivot.x != 0.0) { y = pairDiv(yAt(arm, i - 1u), pivot); }
      putY(arm, i - 1u, y);
      left = pairMulAdd(-y, y, left);
      for (var j = 0u; j < i - 1u; j++) { putY(arm, j, pairMulAdd(-y, pairAt(home, place(i - 1u, j)), yAt(arm, j))); }
    }
    weight = pairInverse(pairAdd(pairOf(1.0), pairMax(left, vec2f(0.0))));
  }
  // R_c takes the way of F_c, before it.
  for (var part = select(1u, 0u, isHit); part < 2u; part++) {
    let ofF = part == 1u;
    let home = select(restWord(arm * AUX), nextHome(arm), ofF);
    let size = select(R_SIZE, SIZE, ofF);
    let length = select(params.dimension, eLength(), ofF);
    for (var j = 0u; j < length; j++) { putGain(arm, j, vec2f(0.0)); }
    var sum = pairOf(1.0);
    var before = pairOf(1.0);
    for (var i = 0u; i < length; i++) {
      var y: vec2f;
      if (!ofF) { y = hitR[i]; } else if (isHit) { y = hitF[i]; } else { y = yAt(arm, i); }
      let wy = pairMul(weight, y);
      let next = pairMulAdd(wy, y, sum);
      let after = pairInverseSqrt(next);
      let row = rowUpdate(sum, before, after, wy);
      for (var j = 0u; j <= i; j++) {
        let p = place(i, j);
        let r = partsAt(home, size, p);
        let gain = gainAt(arm, j);
        let updated = pairSub(pairMul(row.keep, r), pairMul(row.take, gain));
        putParts(home, size, p, updated);
        if (HELD && !FROZEN && ofF) { held[arm * SIZE + p] = updated.x; }
        putGain(arm, j, pairMulAdd(y, r, gain));
      }
      sum = next;
      before = after;
    }
  }
  // What was gained is Fᵀy = h.
  for (var j = 0u; j < eLength(); j++) {
    let total = pairMulAdd(gainAt(arm, j), stepOfHit, pairAt(home, COEFFICIENTS + j));
    putParts(home, SIZE, COEFFICIENTS + j, total);
    if (HELD && !FROZEN) { held[arm * SIZE + COEFFICIENTS + j] = total.x; }
    noteCoefficient(total.x);
  }
}

// h_a = W_aᵀu, in the place of y.
fn findShift(arm: u32) {
  let aux = arm * AUX;
  if (!PRODUCT) {
    var c = vec2f(0.0);
    for (var n = 0u; n < zLength(); n++) { c = pairMulAdd(rest(aux + AUX_FEATURES + n), rest(U + n), c); }
    for (var j = 0u; j < params.dimension; j++) { putY(arm, j, pairMul(c, rest(aux + AUX_G + j))); }
    putY(arm, params.dimension, c);
    return;
  }
  for (var j = 0u; j < params.dimension; j++) {
    var p = vec2f(0.0);
    for (var i = 0u; i < armFeatures(); i++) {
      p = pairMulAdd(rest(aux + AUX_FEATURES + i), rest(U + i * params.dimension + j), p);
    }
    putGain(arm, j, pairMul(settingPair(7u), p));
    putY(arm, j, vec2f(0.0));
  }
  for (var i = 0u; i < params.dimension; i++) {
    var z = vec2f(0.0);
    for (var j = 0u; j <= i; j++) { z = pairMulAdd(rPairAt(arm, place(i, j)), gainAt(arm, j), z); }
    for (var j = 0u; j <= i; j++) { putY(arm, j, pairMulAdd(rPairAt(arm, place(i, j)), z, yAt(arm, j))); }
  }
}

// Every update writes to the state itself.
fn putBack(lane: u32) {}
