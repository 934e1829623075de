// State of learners that keep, per arm, a factor of order LENGTH (lib/factor.wgsl) and LENGTH coefficients, in pairs: what
// lanes score with in f32 are the upper parts, which lie together. Which arms have learnt, and how wrong a score may be.
//
// Constants of the learner: LENGTH, of what arms are scored with: the context, and a 1 behind it where LENGTH = DIMENSION + 1.
// features: contexts, rows of (d + 3) / 4 vec4; behind all of them their lower parts (PAIRED).
// Parameter 9: largest entry of a factor at the beginning; factors only shrink.
// State: twice where FROZEN (decisions; learning). Per arm: factor and coefficients, upper parts, then lower parts, then the
// number of updates (mod 2²⁰, and beyond) and a word for the learner. Behind the arms: largest |coefficient| so far, and three words for the learner.

// What is short is held in registers.
const SHORT = LENGTH <= 16u;
const BLOCKS = (LENGTH + 7u) / 8u;
// Place of the coefficients.
const COEFFICIENTS = select(32u * BLOCKS * (BLOCKS - 1u) + 8u * LENGTH, LENGTH * (LENGTH + 1u) / 2u, SHORT);
const SIZE = (COEFFICIENTS + LENGTH + 3u) / 4u * 4u;
const ARM_STRIDE = 2u * SIZE + 4u;
const COPY = ARMS * ARM_STRIDE + 4u;
const COPIES = select(1u, 2u, FROZEN);
const QUADS = (DIMENSION + 3u) / 4u;
const ARM_WORDS = (ARMS + 31u) / 32u;

// Below every score.
const NONE = -1.0e30;
// Half an ulp of 1 in f32.
const UNIT = 5.9604645e-8;

// Bits of arms that decisions know to have learnt.
var<workgroup> tried: array<u32, ARM_WORDS>;
var<workgroup> largestCoefficient: atomic<u32>;
// What the event of a hit is scored with.
var<workgroup> hitX: array<vec2f, LENGTH>;

fn liveHome(arm: u32) -> u32 { return replica * params.stateStride + arm * ARM_STRIDE; }
fn nextHome(arm: u32) -> u32 { return liveHome(arm) + (COPIES - 1u) * COPY; }
fn stateAt(i: u32) -> f32 { return state[i >> 2u][i & 3u]; }
fn putState(i: u32, value: f32) { state[i >> 2u][i & 3u] = value; }

// A pair whose parts lie `size` words apart, and one of an arm.
fn partsAt(home: u32, size: u32, p: u32) -> vec2f { return vec2f(stateAt(home + p), stateAt(home + size + p)); }
fn putParts(home: u32, size: u32, p: u32, value: vec2f) {
  putState(home + p, value.x);
  putState(home + size + p, value.y);
}
fn pairAt(home: u32, p: u32) -> vec2f { return partsAt(home, SIZE, p); }

fn contextAt(local: u32, j: u32) -> f32 {
  if (LENGTH > DIMENSION && j >= DIMENSION) { return 1.0; }
  return features[local * QUADS + (j >> 2u)][j & 3u];
}

fn loadHit(lane: u32) {
  for (var j = lane; j < (LENGTH | params.zero); j += WIDTH) {
    var low = 0.0;
    if (PAIRED && j < params.dimension) { low = contextAt(params.lowFeatures + hitEvent.local, j); }
    hitX[j] = vec2f(contextAt(hitEvent.local, j), low);
  }
  workgroupBarrier();
}

fn isTried(arm: u32) -> bool { return ((tried[arm >> 5u] >> (arm & 31u)) & 1u) != 0u; }

// Word w of `tried`, from the state.
fn triedBits(w: u32) -> u32 {
  var bits = 0u;
  for (var arm = w * 32u; arm < min(ARMS, w * 32u + 32u); arm++) {
    let updates = liveHome(arm) + 2u * SIZE;
    if (stateAt(updates) + stateAt(updates + 1u) > 0.0) { bits |= 1u << (arm & 31u); }
  }
  return bits;
}

// By one lane.
fn countUpdate(arm: u32) {
  let updates = nextHome(arm) + 2u * SIZE;
  let count = stateAt(updates) + 1.0;
  putState(updates, select(count, 0.0, count == 1048576.0));
  if (count == 1048576.0) { putState(updates + 1u, stateAt(updates + 1u) + 1.0); }
}

fn noteCoefficient(value: f32) { atomicMax(&largestCoefficient, bitcast<u32>(abs(value))); }

// Bound of the error of a score in f32: rounding of dot products of length LENGTH, with coefficients and factor at their
// largest. @param bonus what the length of R x is multiplied by; norm of x; largest of the scores
fn scoreError(bonus: f32, norm: f32, largest: f32) -> f32 { return scoreErrors(vec4f(bonus), vec4f(norm), vec4f(largest)).x; }

// Of four events.
fn scoreErrors(bonus: vec4f, norm: vec4f, largest: vec4f) -> vec4f {
  let root = sqrt(f32(LENGTH));
  let width = bonus * settingF(9u) * (root + 8.0);
  var coefficient: f32;
  // Decisions follow the coefficients of the epoch's beginning.
  if (FROZEN) { coefficient = stateAt(liveHome(ARMS)); }
  else { coefficient = bitcast<f32>(atomicLoad(&largestCoefficient)); }
  return 4.0 * UNIT * (norm * (root * coefficient + width) + max(vec4f(1.0), abs(largest)));
}

// Hooks of replay.wgsl. The learner has `readLive`, which reads what decisions need, and `putBack`, which writes what it has
// changed in memory of its own.

fn beginReplica(lane: u32) {
  if (lane == 0u) { atomicStore(&largestCoefficient, bitcast<u32>(stateAt(nextHome(ARMS)))); }
  readLive(lane);
}

fn beginEpoch(lane: u32) {
  endReplica(lane);
  storageBarrier();
  for (var i = lane; i < COPY / 4u; i += WIDTH) { state[(liveHome(0u) >> 2u) + i] = state[(nextHome(0u) >> 2u) + i]; }
  storageBarrier();
  readLive(lane);
}

fn endReplica(lane: u32) {
  if (lane == 0u) { putState(nextHome(ARMS), bitcast<f32>(atomicLoad(&largestCoefficient))); }
  putBack(lane);
}

fn learnWindow(lane: u32) {}
