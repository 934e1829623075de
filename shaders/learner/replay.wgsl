// Replay of learners: one workgroup plays one replica along a chunk of the log, a window of WIDTH · SLOTS events at a time.
//
// Between two updates a replica's state is constant, so the lanes decide the next events side by side, SLOTS each; the first
// event at which the learner takes the logged arm is found, the state takes one update, and the events behind it are looked
// at again. Every event is decided with the state that it would have met one after the other: the trajectory does not
// depend on the window.
//
// This file is the loop. What a learner is stands in the file placed after it, as hooks on the lane's events `mine`:
//   beginReplica   reads the state from storage; ends with a barrier
//   loadLane       what the lane's events need besides the state
//   scoreArms      scores of local arms first .. last − 1 at the lane's events: all of them, then INCREMENTAL those that an
//                  update has changed
//   judge          does the learner take the logged arm of a slot? NO, YES, or DOUBT where f32 cannot tell
//   publish        the lane of a hit hands on what the others need
//   decideTogether all lanes decide a doubtful event together, in pairs (bool, the same for all)
//   learn          all lanes apply one update; ends with a barrier
//   learnWindow    BULK: learns from all events of the window that were consumed; ends with a barrier
//   beginEpoch     FROZEN: decisions follow what was learnt until now; ends with a barrier
//   endReplica     writes the state back
// Barriers are allowed in the hooks that all lanes reach together: all but loadLane, scoreArms, judge and publish.
//
// Constants: WIDTH, SLOTS; FROZEN (updates wait for the next epoch: the state of decisions and the state that learns are two);
// LEARN_ALL (every event of the subsample is learnt from); BULK (FROZEN and LEARN_ALL where updates commute); INCREMENTAL
// (lanes keep their scores through an update; else the window starts again behind it); STATELESS (nothing is learnt);
// MIXED (the chunk has several pools); RENAMED (the chunk has not all arms, so that they have numbers of their own);
// LOCAL_ARMS (local arms that workgroup memory has room for: all arms, unless the learner keeps those of a chunk only);
// SHARED_LOADS (lanes that share loads of the state; 0: each loads all).
//
// Bindings (declared in src/engine/learner-gpu/kernels.ts):
//   events    per event of the chunk: local arm, payoff steps, local pool, rank of the arm in its pool | pool size << 16
//   features  contexts or segments of the events, see the learner
//   lists     per row: number of events, events of a subsample, ascending; not read where listStride is 0
//   tables    of the chunk: local arms, pools as bit sets over local arms, epochs; see src/engine/learner-gpu/chunk.ts
//   replicas  per replica: number, row of its list, then its parameters, SETTING words in all
//   progress  per replica: PROGRESS words (below); then, params.capacity words per replica, the retained events of this dispatch
//   state     per replica: stateStride words

const NO = 0u;
const YES = 1u;
const DOUBT = 2u;

// Words of progress.
const POSITION = 0u;   // next place in the list of events
const MATCHES = 1u;    // T so far
const RETAINED = 2u;   // retained events of this dispatch
const WINDOWS = 3u;    // windows of this dispatch
const EPOCH = 4u;      // epochs of this chunk that have begun
const FINISHED = 5u;   // 1: the T-th match was found
const SETTLED = 6u;    // doubtful decisions of this dispatch
const LOOKS = 7u;      // looks for a hit in this dispatch
const CONSUMED = 8u;   // events consumed in this dispatch
const CHUNK = 9u;      // number of the chunk that POSITION and EPOCH are in
const ENDED = 10u;     // 1: nothing of this chunk is left to do
const PROGRESS = 12u;

const SETTING = 24u;
const NEVER = 0xffffffffu;

struct Event { arm: u32, steps: u32, pool: u32, rank: u32, size: u32, local: u32 }

var<workgroup> start: array<u32, 4>;
var<workgroup> firstHit: array<atomic<u32>, 2>;
var<workgroup> firstBeyond: atomic<u32>;
var<workgroup> epochs: u32;
var<workgroup> hitEvent: Event;

const WINDOW = WIDTH * SLOTS;

var<private> mine: array<Event, SLOTS>;
// Slots with an event that is to be decided.
var<private> present: array<bool, SLOTS>;
// Events of the window before this place are settled.
var<private> decided: u32;
var<private> subgroupLane: u32;
var<private> replica: u32;
var<private> replicaNumber: u32;

fn setting(i: u32) -> u32 { return replicas[replica * SETTING + 2u + i]; }
fn settingF(i: u32) -> f32 { return bitcast<f32>(setting(i)); }
fn settingPair(i: u32) -> vec2f { return vec2f(settingF(i), settingF(i + 1u)); }

// Two random words: draw `draw` of an event, as src/learner/draws.ts numbers them.
fn drawWords(local: u32, draw: u32) -> vec2u {
  return threefry2x32(vec2u(params.seed, params.stream + (draw << 8u)), vec2u(params.firstEvent + local, replicaNumber));
}

// Global index of a local arm.
fn armOf(local: u32) -> u32 {
  if (!RENAMED) { return local; }
  return tables[local];
}

// Whether local arm `i` is a candidate in local pool `pool`.
fn isCandidate(pool: u32, i: u32) -> bool {
  return !MIXED || ((tables[params.poolTable + pool * params.poolWords + (i >> 5u)] >> (i & 31u)) & 1u) != 0u;
}

// The candidates of a pool among local arms 32 w .. 32 w + 31, as bits.
fn candidateBits(pool: u32, w: u32) -> u32 {
  if (MIXED) { return tables[params.poolTable + pool * params.poolWords + w]; }
  let rest = params.arms - 32u * w;
  return select(0xffffffffu, (1u << (rest & 31u)) - 1u, rest < 32u);
}

fn eventAt(row: u32, index: u32) -> Event {
  var local = index;
  if (params.listStride != 0u) { local = lists[row * params.listStride + 1u + index]; }
  let e = events[local];
  return Event(e.x, e.y, e.z, e.w & 0xffffu, e.w >> 16u, local);
}

// Epochs of the chunk that have begun at event `local`.
fn epochsBegun(local: u32, known: u32) -> u32 {
  var begun = known;
  while (begun < params.epochs && tables[params.epochTable + begun] <= local) { begun++; }
  return begun;
}

@compute @workgroup_size(WIDTH)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  replica = group.x;
  // Subgroups are runs of lanes of a size that divides WIDTH; a kernel that relies on it is checked by its results.
  subgroupLane = lane % max(SHARED_LOADS, 1u);
  if (group.x >= params.replicas) { return; }
  let home = replica * PROGRESS;
  let retainedHome = params.replicas * PROGRESS + replica * params.capacity;
  let row = replicas[replica * SETTING + 1u];
  if (lane == 0u) {
    let fresh = progress[home + CHUNK] != params.chunk;
    start[0] = select(progress[home + POSITION], 0u, fresh);
    start[1] = progress[home + MATCHES];
    start[2] = select(progress[home + EPOCH], 0u, fresh);
    start[3] = params.chunkEvents;
    if (params.listStride != 0u) { start[3] = lists[row * params.listStride]; }
    if (progress[home + FINISHED] != 0u) { start[3] = 0u; }
    progress[home + CHUNK] = params.chunk;
    progress[home + RETAINED] = 0u;
    progress[home + WINDOWS] = 0u;
    progress[home + SETTLED] = 0u;
    progress[home + LOOKS] = 0u;
    progress[home + CONSUMED] = 0u;
    progress[home + ENDED] = 1u;
    atomicStore(&firstHit[0], NEVER);
    atomicStore(&firstHit[1], NEVER);
    atomicStore(&firstBeyond, WINDOW);
  }
  var position = workgroupUniformLoad(&start[0]);
  let first = position;
  let end = workgroupUniformLoad(&start[3]);
  if (position >= end) { return; }
  var matches = workgroupUniformLoad(&start[1]);
  var begun = workgroupUniformLoad(&start[2]);
  replicaNumber = replicas[replica * SETTING];
  beginReplica(lane);

  var windows = 0u;
  var looks = 0u;
  var settled = 0u;
  var retained = 0u;
  var side = 0u;
  var finished = false;
  while (position < end && windows < params.windows && retained + WINDOW <= params.capacity && !finished) {
    windows++;
    for (var slot = 0u; slot < SLOTS; slot++) {
      let index = position + lane * SLOTS + slot;
      present[slot] = index < end;
      mine[slot] = eventAt(row, min(index, end - 1u));
    }
    // Events of this window that are consumed.
    var beyond = min(WINDOW, end - position);
    if (FROZEN) {
      // An epoch that begins inside the window ends it; one that begins with it is learnt first.
      if (lane == 0u) { epochs = epochsBegun(mine[0].local, begun); }
      let now = workgroupUniformLoad(&epochs);
      if (now != begun) { beginEpoch(lane); }
      begun = now;
      if (begun < params.epochs) {
        let next = tables[params.epochTable + begun];
        for (var slot = 0u; slot < SLOTS; slot++) {
          if (mine[slot].local < next) { continue; }
          present[slot] = false;
          atomicMin(&firstBeyond, lane * SLOTS + slot);
        }
        beyond = min(beyond, workgroupUniformLoad(&firstBeyond));
        if (lane == 0u) { atomicStore(&firstBeyond, WINDOW); }
      }
    }
    loadLane(lane);

    // Events of the window before this one are settled.
    var next = 0u;
    decided = 0u;
    // Arms to be scored: all at first.
    var scores = vec2u(0u, params.arms);
    loop {
      looks++;
      if (scores.x < scores.y) { scoreArms(scores.x, scores.y, lane); }
      scores = vec2u(0u);
      for (var slot = 0u; slot < SLOTS; slot++) {
        let place = lane * SLOTS + slot;
        if (!present[slot] || place < next) { continue; }
        let verdict = judge(slot, lane);
        if (verdict != NO || (LEARN_ALL && !BULK)) {
          atomicMin(&firstHit[side], place * 4u + verdict);
          break;
        }
      }
      // The other side is free: all lanes have read it before they came here.
      if (lane == 0u) { atomicStore(&firstHit[1u - side], NEVER); }
      let hit = workgroupUniformLoad(&firstHit[side]);
      side = 1u - side;
      if (hit == NEVER) { break; }
      let place = hit >> 2u;
      next = place + 1u;
      decided = next;
      if (lane == place / SLOTS) {
        hitEvent = mine[place % SLOTS];
        publish(place % SLOTS, lane);
      }
      workgroupBarrier();
      var matched = (hit & 3u) == YES;
      if (DOUBTS && (hit & 3u) == DOUBT) {
        matched = decideTogether(lane);
        settled++;
      }
      if (matched) {
        if (lane == 0u) { progress[retainedHome + retained] = hitEvent.local; }
        retained++;
        matches++;
        finished = matches == params.validEvents;
      }
      let learns = (matched || LEARN_ALL) && !BULK && !STATELESS;
      if (learns) { learn(lane); }
      if (finished) { beyond = next; }
      if (next >= beyond) { break; }
      if (learns && !FROZEN) {
        // Lanes that do not keep their scores begin a new window behind the update.
        if (!INCREMENTAL) {
          beyond = next;
          break;
        }
        scores = vec2u(hitEvent.arm, hitEvent.arm + 1u);
      }
    }
    if (BULK) {
      for (var slot = 0u; slot < SLOTS; slot++) { present[slot] = present[slot] && lane * SLOTS + slot < beyond; }
      learnWindow(lane);
    }
    position += beyond;
  }

  endReplica(lane);
  if (lane == 0u) {
    progress[home + POSITION] = position;
    progress[home + MATCHES] = matches;
    progress[home + RETAINED] = retained;
    progress[home + WINDOWS] = windows;
    progress[home + EPOCH] = begun;
    progress[home + FINISHED] = select(0u, 1u, finished);
    progress[home + SETTLED] = settled;
    progress[home + LOOKS] = looks;
    progress[home + CONSUMED] = position - first;
    progress[home + ENDED] = select(0u, 1u, finished || position >= end);
  }
}
