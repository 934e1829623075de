// The rule for ties of real-valued scores (src/learner/ties.ts): the lowest index with a score of at least
// max − τ · max(1, |max|). Does the logged arm win? Asked of its own score and of the largest ones of lower and of higher
// indices.
//
// Parameter 2 of the learner: τ.

// The least score that ties with `top`: in f32, of four, and in pairs.
fn least(top: f32) -> f32 { return top - settingF(2u) * max(1.0, abs(top)); }
fn leastOf(top: vec4f) -> vec4f { return top - settingF(2u) * max(vec4f(1.0), abs(top)); }
fn leastPair(top: vec2f) -> vec2f {
  return pairSub(top, pairScale(pairMax(pairOf(1.0), pairAbs(top)), settingF(2u)));
}

// Scores in f32, each wrong by `error` at most.
fn verdict(own: f32, lower: f32, higher: f32, error: f32) -> u32 {
  let top = max(own, higher);
  if (own + error < least(higher - error) || lower - error >= least(top + error)) { return NO; }
  if (own - error >= least(higher + error) && lower + error < least(top - error)) { return YES; }
  return DOUBT;
}

// Scores in pairs.
fn wins(own: vec2f, lower: vec2f, higher: vec2f) -> bool {
  return !pairLess(own, leastPair(higher)) && pairLess(lower, leastPair(pairMax(own, higher)));
}
