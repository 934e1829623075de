// State of arms (lib/arm-state.wgsl) held in workgroup memory, by local arm; or, where there is no room (HELD is false), read
// and written where it lies.

const HELD_QUADS = select(1u, LOCAL_ARMS * SIZE / 4u, HELD);
// Decisions and learning have one state: it is held whole.
const HELD_LOW = HELD && !FROZEN;
const HELD_LOWS = select(1u, LOCAL_ARMS * SIZE, HELD_LOW);

// The state's upper parts, as decisions read them, and its lower ones.
var<workgroup> held: array<vec4f, HELD_QUADS>;
var<workgroup> heldLow: array<f32, HELD_LOWS>;

fn heldQuad(i: u32, q: u32) -> u32 { return i * (SIZE / 4u) + q; }

// @param i local arm; home of its state that decides
fn upperQuad(i: u32, home: u32, q: u32) -> vec4f {
  if (HELD) { return held[heldQuad(i, q)]; }
  return state[(home >> 2u) + q];
}

fn upperAt(i: u32, home: u32, p: u32) -> f32 {
  if (HELD) { return held[heldQuad(i, p >> 2u)][p & 3u]; }
  return stateAt(home + p);
}

// @param i local arm; home of its state that decides or learns
fn armPair(i: u32, home: u32, p: u32) -> vec2f {
  if (HELD_LOW) { return vec2f(upperAt(i, home, p), heldLow[i * SIZE + p]); }
  return pairAt(home, p);
}

fn putPair(i: u32, home: u32, p: u32, value: vec2f) {
  if (HELD && !FROZEN) { held[heldQuad(i, p >> 2u)][p & 3u] = value.x; }
  if (HELD_LOW) { heldLow[i * SIZE + p] = value.y; } else { putParts(home, SIZE, p, value); }
}

// Ends without a barrier.
fn readHeld(lane: u32) {
  if (HELD) {
    for (var n = lane; n < params.arms * (SIZE / 4u); n += WIDTH) {
      held[n] = state[(liveHome(armOf(n / (SIZE / 4u))) >> 2u) + n % (SIZE / 4u)];
    }
  }
  if (HELD_LOW) {
    for (var n = lane; n < params.arms * SIZE; n += WIDTH) {
      heldLow[n] = stateAt(liveHome(armOf(n / SIZE)) + SIZE + n % SIZE);
    }
  }
}

fn putBack(lane: u32) {
  if (!HELD_LOW) { return; }
  for (var n = lane; n < params.arms * SIZE; n += WIDTH) {
    putParts(liveHome(armOf(n / SIZE)), SIZE, n % SIZE, armPair(n / SIZE, 0u, n % SIZE));
  }
}
