// thompson: the arm with the largest θ ~ Beta(a + ones, b + zeros) (src/learner/means/thompson.ts has its definition).
//
// A θ costs two Threefry draws or more for each of its two gamma variates, so that drawing is all the work, and most arms
// are not drawn. A lane draws its event's logged arm, and the arms that were retained last until one of them rules it
// out; few events survive. Those go to all lanes as doubts, which share the candidates out, and decide (`decideTogether`).
//
// A θ has an error of some 10⁻⁷ of its spread, at most of some 10⁻⁵ (lib/gamma.wgsl has the bound), and comparisons are those of pairs (lib/gamma.wgsl). So a
// decision is not the CPU's only where two θ lie that close to the border of the tie rule, or where an acceptance test
// that close gives another θ. `Thompson.margin` on the CPU knows about both; in 18 million events neither occurred.
//
// SLOTS = 1. Constants: HELD (state is kept in workgroup memory).
// Parameters: a (pair), b (pair), τ, 1/a, 1/b.
// State: twice where FROZEN (decisions; learning): ones, zeros of every arm. Then every arm's model (lib/gamma.wgsl).

const COUNTS = 2u * ARMS;
const HELD_COUNTS = select(1u, COUNTS, HELD && !FROZEN);
const HELD_MODELS = select(1u, ARMS, HELD);
// As many rivals for a lane as balance their draws with those for survivors, were all arms alike.
const RIVALS = min(ARMS, u32(1.5 * sqrt(f32(max(ARMS, WIDTH)))));

const NONE = vec2f(-4.0, 0.0);

var<workgroup> heldCounts: array<u32, HELD_COUNTS>;
var<workgroup> heldModels: array<vec4f, HELD_MODELS>;
var<workgroup> bulkArm: array<u32, WIDTH>;
var<workgroup> bulkOnes: array<u32, WIDTH>;
// Local arms, the one retained last first.
var<workgroup> rivals: array<u32, RIVALS>;
var<workgroup> ownOfHit: vec2f;
var<workgroup> lowers: array<vec2f, WIDTH>;
var<workgroup> highers: array<vec2f, WIDTH>;
var<workgroup> together: u32;

// θ of the lane's logged arm; the arm that rules it out, if any, and its θ.
var<private> own: vec2f;
var<private> ruling: u32;
var<private> rulingValue: vec2f;
// The arm to be drawn next, if any, and whether rivals are to follow.
var<private> asked: u32;
var<private> asksRivals: bool;

fn liveHome() -> u32 { return replica * params.stateStride; }
fn nextHome() -> u32 { return liveHome() + select(0u, COUNTS, FROZEN); }
fn modelHome() -> u32 { return nextHome() + COUNTS; }

fn modelOf(arm: u32) -> vec4f {
  if (HELD) { return heldModels[arm]; }
  let at = modelHome() + arm * 4u;
  return bitcast<vec4f>(vec4u(state[at], state[at + 1u], state[at + 2u], state[at + 3u]));
}

fn count(i: u32) -> u32 {
  if (HELD && !FROZEN) { return heldCounts[i]; }
  return state[liveHome() + i];
}

// After a change of the arm's counts.
fn storeModel(arm: u32) {
  let ones = pairFromU32(count(arm * 2u));
  let zeros = pairFromU32(count(arm * 2u + 1u));
  let model = betaModel(pairAdd(settingPair(0u), ones), pairAdd(settingPair(2u), zeros));
  if (HELD) { heldModels[arm] = model; }
  else {
    let at = modelHome() + arm * 4u;
    let words = bitcast<vec4u>(model);
    for (var i = 0u; i < 4u; i++) { state[at + i] = words[i]; }
  }
}

fn sync() {
  workgroupBarrier();
  if (!HELD || FROZEN) { storageBarrier(); }
}

fn storeModels(lane: u32) {
  for (var arm = lane; arm < ARMS; arm += WIDTH) { storeModel(arm); }
  sync();
}

fn beginReplica(lane: u32) {
  if (HELD && !FROZEN) {
    for (var i = lane; i < COUNTS; i += WIDTH) { heldCounts[i] = state[liveHome() + i]; }
  }
  for (var i = lane; i < RIVALS; i += WIDTH) { rivals[i] = i; }
  sync();
  storeModels(lane);
}

// θ of a local arm at an event.
fn draw(local: u32, i: u32) -> vec2f {
  let arm = armOf(i);
  let model = modelOf(arm);
  return betaValue(model, betaDelta(local, arm, model, vec2f(settingF(5u), settingF(6u))));
}

// τ · max(1, |θ|) = τ.
fn isBeyond(higher: vec2f, own: vec2f) -> bool { return pairSub(higher, own).x > settingF(4u); }

// Whether arm `i` with θ = value proves that the logged arm is not the choice.
fn rulesOut(event: Event, i: u32, value: vec2f) -> bool {
  if (i < event.arm) { return !pairLess(value, own); }
  return isBeyond(value, own);
}

fn loadLane(lane: u32) {}

// Nothing is drawn yet. After an update only the arm that has learnt is drawn again, and only where it decides.
fn scoreArms(first: u32, last: u32, lane: u32) {
  let logged = mine[0].arm;
  asked = logged;
  asksRivals = last - first == params.arms;
  if (asksRivals) {
    ruling = NEVER;
  } else if (first != logged) {
    asked = select(NEVER, first, ruling == NEVER || ruling == first);
    if (ruling == first) { ruling = NEVER; }
  }
}

// All draws of lanes are made here, because every call is a copy of much code.
fn judge(slot: u32, lane: u32) -> u32 {
  let event = mine[0];
  var k = select(RIVALS, 0u, asksRivals);
  while (asked != NEVER) {
    if ((asked != event.arm || k == 0u || !asksRivals) && isCandidate(event.pool, asked)) {
      let value = draw(event.local, asked);
      if (asked == event.arm) {
        own = value;
        if (ruling != NEVER && !rulesOut(event, ruling, rulingValue)) { ruling = NEVER; }
      } else if (rulesOut(event, asked, value)) {
        ruling = asked;
        rulingValue = value;
      }
    }
    asked = NEVER;
    if (ruling == NEVER && k < min(RIVALS, params.arms)) { asked = rivals[k]; }
    k++;
  }
  return select(NO, DOUBT, ruling == NEVER);
}

fn publish(slot: u32, lane: u32) { ownOfHit = own; }

fn decideTogether(lane: u32) -> bool {
  var lower = NONE;
  var higher = NONE;
  for (var i = lane; i < params.arms; i += WIDTH) {
    // Lanes go on to their next candidate, so that the draws of all fall together.
    while (i < params.arms && (i == hitEvent.arm || !isCandidate(hitEvent.pool, i))) { i += WIDTH; }
    if (i >= params.arms) { break; }
    let value = draw(hitEvent.local, i);
    if (i < hitEvent.arm) { lower = pairMax(lower, value); } else { higher = pairMax(higher, value); }
  }
  lowers[lane] = lower;
  highers[lane] = higher;
  workgroupBarrier();
  if (lane == 0u) {
    for (var other = 1u; other < min(WIDTH, params.arms); other++) {
      lower = pairMax(lower, lowers[other]);
      higher = pairMax(higher, highers[other]);
    }
    let chosen = !isBeyond(higher, ownOfHit) && isBeyond(pairMax(ownOfHit, higher), lower);
    together = select(0u, 1u, chosen);
    if (chosen) { promote(hitEvent.arm); }
  }
  return workgroupUniformLoad(&together) != 0u;
}

// To the head of the rivals; those before its place move down.
fn promote(arm: u32) {
  var moved = arm;
  for (var k = 0u; k < RIVALS; k++) {
    let next = rivals[k];
    rivals[k] = moved;
    if (next == arm) { return; }
    moved = next;
  }
}

// One more one or zero of an arm, in the state that learns.
fn addTrial(arm: u32, steps: u32) {
  let i = arm * 2u + select(1u, 0u, steps != 0u);
  if (HELD && !FROZEN) { heldCounts[i]++; } else { state[nextHome() + i]++; }
}

fn learn(lane: u32) {
  if (lane == 0u) {
    let arm = armOf(hitEvent.arm);
    addTrial(arm, hitEvent.steps);
    if (!FROZEN) { storeModel(arm); }
  }
  sync();
}

fn learnWindow(lane: u32) {
  let event = mine[0];
  // Each lane keeps the arms that are its own (arm mod WIDTH), so that none is written by two.
  bulkArm[lane] = select(NEVER, armOf(event.arm), present[0]);
  bulkOnes[lane] = event.steps;
  workgroupBarrier();
  for (var other = 0u; other < WIDTH; other++) {
    let arm = bulkArm[other];
    if (arm != NEVER && arm % WIDTH == lane) { addTrial(arm, bulkOnes[other]); }
  }
  sync();
}

fn beginEpoch(lane: u32) {
  for (var i = lane; i < COUNTS; i += WIDTH) { state[liveHome() + i] = state[nextHome() + i]; }
  sync();
  storeModels(lane);
}

fn endReplica(lane: u32) {
  if (HELD && !FROZEN) {
    for (var i = lane; i < COUNTS; i += WIDTH) { state[liveHome() + i] = heldCounts[i]; }
  }
}
