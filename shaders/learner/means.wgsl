// Learners without contexts: random, epsilon-greedy, emp, semp, ucb, ucb1 (src/learner/ has their definitions).
//
// Sample means are compared as integer fractions, so the first four retain the same events as the CPU to the last bit;
// upper confidence bounds are pairs of f32.
//
// Constants: LEARNER (below); ROWS = arms × segments; HELD (counts are kept in workgroup memory).
// SLOTS = 1. features: semp's segment of each event.
// Parameters: MEAN kinds: explore threshold, always explore, c · 2³² (low, high; used where DECAYS);
//             SCORE kinds: α (pair), τ, base payoff (pair), payoff step (pair).
// State: twice where FROZEN (decisions; learning): updates, then per row n, Σ steps (low, high). Then per arm its score.

const RANDOM = 0u;
const EPSILON_GREEDY = 1u;
const EMP = 2u;
const SEMP = 3u;
const UCB = 4u;
const UCB1 = 5u;

const SCORED = LEARNER == UCB || LEARNER == UCB1;
const COUNTS = 1u + ROWS * 3u;
const SCORES = select(1u, ARMS, SCORED);
const HELD_COUNTS = select(1u, COUNTS, HELD);
const HELD_SCORES = select(1u, SCORES, HELD);

var<workgroup> heldCounts: array<u32, HELD_COUNTS>;
var<workgroup> heldScores: array<vec2f, HELD_SCORES>;
// Without pools to tell apart lanes find the greedy arm together, each looking at some arms, again after each update.
const TOGETHER = !MIXED && LEARNER != RANDOM && LEARNER != SEMP;
// The best local arm that a lane knows, and the lowest one that ties with the best of all.
var<workgroup> leader: array<u32, select(1u, WIDTH, TOGETHER)>;
var<workgroup> firstTied: atomic<u32>;

var<workgroup> bulkRow: array<u32, WIDTH>;
var<workgroup> bulkSteps: array<u32, WIDTH>;

// The lane's event: what it explores, and what it would choose else.
var<private> exploreWord: u32;
var<private> explored: bool;
var<private> firstRow: u32;
// TOGETHER: what the lanes would choose else, all the same, as a local arm.
var<private> greedy: u32;

fn liveHome() -> u32 { return replica * params.stateStride; }
fn nextHome() -> u32 { return liveHome() + select(0u, COUNTS, FROZEN); }
fn scoreHome() -> u32 { return liveHome() + COUNTS * select(1u, 2u, FROZEN); }

fn count(i: u32) -> u32 {
  if (HELD) { return heldCounts[i]; }
  return state[liveHome() + i];
}

fn scoreOf(arm: u32) -> vec2f {
  if (HELD) { return heldScores[arm]; }
  let at = scoreHome() + arm * 2u;
  return vec2f(bitcast<f32>(state[at]), bitcast<f32>(state[at + 1u]));
}

fn trials(row: u32) -> u32 { return count(1u + row * 3u); }

// a · b as (low, high).
fn wide(a: u32, b: u32) -> vec2u {
  let al = a & 0xffffu;
  let ah = a >> 16u;
  let bl = b & 0xffffu;
  let bh = b >> 16u;
  let low = al * bl;
  let cross = al * bh + (low >> 16u);
  let rest = ah * bl + (cross & 0xffffu);
  return vec2u(a * b, ah * bh + (cross >> 16u) + (rest >> 16u));
}

// (low, high) · n in three words.
fn wideTotal(low: u32, high: u32, n: u32) -> vec3u {
  let a = wide(low, n);
  let b = wide(high, n);
  let middle = a.y + b.x;
  return vec3u(a.x, middle, b.y + select(0u, 1u, middle < b.x));
}

fn isMore(a: vec3u, b: vec3u) -> bool {
  if (a.z != b.z) { return a.z > b.z; }
  if (a.y != b.y) { return a.y > b.y; }
  return a.x > b.x;
}

// Trials and total steps (low, high) of a row.
fn counts(row: u32) -> vec3u {
  let at = 1u + row * 3u;
  return vec3u(count(at), count(at + 1u), count(at + 2u));
}

// Whether the mean of a is larger than that of b, as fractions; both have trials.
fn isLargerMean(a: vec3u, b: vec3u) -> bool {
  // Products of 16 bits each are exact; most logs never need more.
  if (((a.x | a.y | b.x | b.y) >> 16u) == 0u && (a.z | b.z) == 0u) { return a.y * b.x > b.y * a.x; }
  return isMore(wideTotal(a.y, a.z, b.x), wideTotal(b.y, b.z, a.x));
}

// Whether `other` comes before `arm` whatever the rest: an arm without trials first, in index order, then the larger mean.
fn outranks(other: u32, arm: u32) -> bool {
  let a = counts(firstRow + other);
  let b = counts(firstRow + arm);
  if (a.x == 0u) { return b.x != 0u || other < arm; }
  if (b.x == 0u) { return false; }
  if (other < arm) { return !isLargerMean(b, a); }
  return isLargerMean(a, b);
}

// The better of two local arms, which may be missing: one without trials first, then the larger mean or score. Of equal
// ones it is the lower index.
fn better(a: u32, b: u32) -> u32 {
  let low = min(a, b);
  let high = max(a, b);
  if (high == NEVER || trials(armOf(low)) == 0u) { return low; }
  if (trials(armOf(high)) == 0u) { return high; }
  var isHigh: bool;
  if (SCORED) { isHigh = pairLess(scoreOf(armOf(low)), scoreOf(armOf(high))); }
  else { isHigh = isLargerMean(counts(armOf(high)), counts(armOf(low))); }
  return select(low, high, isHigh);
}

fn findGreedy(lane: u32) {
  if (!TOGETHER) { return; }
  if (lane == 0u) { atomicStore(&firstTied, NEVER); }
  var best = NEVER;
  for (var i = lane; i < params.arms; i += WIDTH) { best = better(best, i); }
  leader[lane] = best;
  workgroupBarrier();
  for (var n = min(WIDTH, params.arms); n > 1u;) {
    let half = (n + 1u) / 2u;
    if (lane + half < n) { leader[lane] = better(leader[lane], leader[lane + half]); }
    n = half;
    workgroupBarrier();
  }
  greedy = leader[0];
  if (!SCORED) { return; }
  let isUntried = trials(armOf(greedy)) == 0u;
  let least = leastPair(scoreOf(armOf(greedy)));
  for (var i = lane; i < params.arms && !isUntried; i += WIDTH) {
    if (!pairLess(scoreOf(armOf(i)), least)) {
      atomicMin(&firstTied, i);
      break;
    }
  }
  workgroupBarrier();
  if (!isUntried) { greedy = atomicLoad(&firstTied); }
}

// Whether the logged arm of an event is the choice from its pool: asks less than which arm is.
fn isChoice(event: Event) -> bool {
  let untried = SCORED && trials(armOf(event.arm)) == 0u;
  var lower = vec2f(-3.0e38, 0.0);
  var higher = lower;
  for (var w = 0u; w * 32u < params.arms; w++) {
    for (var bits = candidateBits(event.pool, w); bits != 0u; bits &= bits - 1u) {
      let i = w * 32u + firstTrailingBit(bits);
      if (i == event.arm) { continue; }
      if (!SCORED) {
        if (outranks(armOf(i), armOf(event.arm))) { return false; }
        continue;
      }
      if (trials(armOf(i)) == 0u) {
        if (!untried || i < event.arm) { return false; }
      } else if (!untried) {
        let score = scoreOf(armOf(i));
        if (i < event.arm) { lower = pairMax(lower, score); } else { higher = pairMax(higher, score); }
      }
    }
  }
  if (!SCORED || untried) { return true; }
  let own = scoreOf(armOf(event.arm));
  return wins(own, lower, higher);
}

fn scoreArm(arm: u32) -> vec2f {
  let row = 1u + arm * 3u;
  let n = count(row);
  if (n == 0u) { return vec2f(0.0); }
  let trialsPair = pairFromU32(n);
  let steps = pairDiv(pairFromU64(count(row + 1u), count(row + 2u)), trialsPair);
  let mean = pairMulAdd(steps, settingPair(5u), settingPair(3u));
  var width = pairInverseSqrt(trialsPair);
  if (LEARNER == UCB1) {
    width = pairSqrt(pairDiv(pairScale(pairLog(pairFromU32(max(count(0u), 1u))), 2.0), trialsPair));
  }
  return pairMulAdd(settingPair(0u), width, mean);
}

fn storeScore(arm: u32) {
  let score = scoreArm(arm);
  if (HELD) { heldScores[arm] = score; }
  else {
    let at = scoreHome() + arm * 2u;
    state[at] = bitcast<u32>(score.x);
    state[at + 1u] = bitcast<u32>(score.y);
  }
}

// Scores that the last update has changed: `arm` alone, or all where t is in them.
fn refreshScores(arm: u32, all: bool, lane: u32) {
  if (!SCORED) { return; }
  if (all || LEARNER == UCB1) {
    for (var a = lane; a < ARMS; a += WIDTH) { storeScore(a); }
  } else if (lane == 0u) { storeScore(arm); }
  sync();
}

fn sync() {
  workgroupBarrier();
  if (!HELD || FROZEN) { storageBarrier(); }
}

fn beginReplica(lane: u32) {
  if (STATELESS) { return; }
  if (HELD) {
    for (var i = lane; i < COUNTS; i += WIDTH) { heldCounts[i] = state[liveHome() + i]; }
  }
  sync();
  refreshScores(0u, true, lane);
  findGreedy(lane);
}

fn loadLane(lane: u32) {
  let event = mine[0];
  firstRow = 0u;
  if (LEARNER == SEMP) { firstRow = features[event.local] * ARMS; }
  if (LEARNER == EPSILON_GREEDY) { exploreWord = drawWords(event.local, 0u).x; }
  if (LEARNER == RANDOM || LEARNER == EPSILON_GREEDY) {
    explored = scaleToIndex(drawWords(event.local, 1u).x, event.size) == event.rank;
  }
}

// ⌊(low, high) / t⌋, at most 2³² − 1: the threshold of ε = min(1, c/t) below 1.
fn quotient(low: u32, high: u32, t: u32) -> u32 {
  var rest = high % t;
  var result = 0u;
  for (var bit = 0u; bit < 32u; bit++) {
    let carry = rest >> 31u;
    rest = (rest << 1u) | ((low >> (31u - bit)) & 1u);
    let take = carry != 0u || rest >= t;
    if (take) { rest -= t; }
    result = (result << 1u) | select(0u, 1u, take);
  }
  return result;
}

fn explores() -> bool {
  if (!DECAYS) { return setting(1u) != 0u || exploreWord < setting(0u); }
  // ε = c/t ≥ 1 where the upper word of c · 2³² is at least t.
  let t = count(0u) + 1u;
  return setting(3u) >= t || exploreWord < quotient(setting(2u), setting(3u), t);
}

fn judge(slot: u32, lane: u32) -> u32 {
  let event = mine[0];
  if (LEARNER == RANDOM) { return select(NO, YES, explored); }
  if (LEARNER == EPSILON_GREEDY) { if (explores()) { return select(NO, YES, explored); } }
  if (MIXED || LEARNER == SEMP) { return select(NO, YES, isChoice(event)); }
  return select(NO, YES, greedy == event.arm);
}

fn publish(slot: u32, lane: u32) {}
fn decideTogether(lane: u32) -> bool { return false; }

// One more trial of a row of the state that learns.
fn addTrial(row: u32, steps: u32) {
  let at = 1u + row * 3u;
  if (HELD && !FROZEN) {
    heldCounts[at]++;
    let low = heldCounts[at + 1u] + steps;
    heldCounts[at + 2u] += select(0u, 1u, low < steps);
    heldCounts[at + 1u] = low;
  } else {
    let home = nextHome() + at;
    state[home]++;
    let low = state[home + 1u] + steps;
    state[home + 2u] += select(0u, 1u, low < steps);
    state[home + 1u] = low;
  }
}

fn learn(lane: u32) {
  let arm = armOf(hitEvent.arm);
  if (lane == 0u) {
    var row = arm;
    if (LEARNER == SEMP) { row += features[hitEvent.local] * ARMS; }
    addTrial(row, hitEvent.steps);
    if (HELD && !FROZEN) { heldCounts[0]++; } else { state[nextHome()]++; }
  }
  sync();
  if (!FROZEN) {
    refreshScores(arm, false, lane);
    findGreedy(lane);
  }
}

fn learnWindow(lane: u32) {
  let event = mine[0];
  // Each lane keeps the rows that are its own (row mod WIDTH), so that none is written by two.
  bulkRow[lane] = select(NEVER, armOf(event.arm) + firstRow, present[0]);
  bulkSteps[lane] = event.steps;
  workgroupBarrier();
  for (var other = 0u; other < WIDTH; other++) {
    let row = bulkRow[other];
    if (row == NEVER) { continue; }
    if (row % WIDTH == lane) { addTrial(row, bulkSteps[other]); }
    if (lane == 0u) { state[nextHome()]++; }
  }
  sync();
}

fn scoreArms(first: u32, last: u32, lane: u32) {}

fn beginEpoch(lane: u32) {
  for (var i = lane; i < COUNTS; i += WIDTH) {
    let value = state[nextHome() + i];
    if (HELD) { heldCounts[i] = value; }
    state[liveHome() + i] = value;
  }
  sync();
  refreshScores(0u, true, lane);
  findGreedy(lane);
}

fn endReplica(lane: u32) {
  if (HELD && !FROZEN && !STATELESS) {
    for (var i = lane; i < COUNTS; i += WIDTH) { state[liveHome() + i] = heldCounts[i]; }
  }
}
