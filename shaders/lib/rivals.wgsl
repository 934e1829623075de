// Whether the logged arms of a lane's four events (components of vectors) are chosen, from f32 scores that are kept and of
// which updates change one at a time.
//
// That the logged arm is beaten needs one witness: an arm that scores higher for sure. So a lane remembers two arms that
// score high, and what no score exceeds. An update that leaves a witness leaves the answer, and that is most of them: going
// through all kept scores again after each update took a software adapter longer than scoring an arm.
//
// The learner declares `loggedArm`, the local arms; `untried`, whether these still have the prior; and `band`, how wrong
// scores of a given size may be. What is no candidate scores NONE.

// The logged arm's score.
var<private> own: vec4f;
// Two of the other arms, with scores as they are now, and a bound of all of their scores.
var<private> rival: vec4u;
var<private> rivalScore: vec4f;
var<private> second: vec4u;
var<private> secondScore: vec4f;
var<private> most: vec4f;
// Whether an arm of lower index ties with the logged one for sure.
var<private> ruledOut: vec4<bool>;
// What is known of the logged arm.
var<private> beaten: vec4<bool>;
var<private> chosen: vec4<bool>;
// The largest scores of lower and of higher indices: what the tie rule asks for where scores are close.
var<private> lower: vec4f;
var<private> higher: vec4f;

fn startRivals() {
  rival = vec4u(NEVER);
  second = vec4u(NEVER);
  rivalScore = vec4f(NONE);
  secondScore = vec4f(NONE);
  ruledOut = vec4<bool>(false);
}

// Every arm is met once; then `decideMet`.
fn meet(i: u32, score: vec4f) {
  var counts = loggedArm != vec4u(i);
  // Arms that still have the prior tie exactly, and the lower index wins.
  if (any(untried)) {
    if (!isTried(armOf(i))) {
      ruledOut = ruledOut | (untried & (vec4u(i) < loggedArm) & (score > vec4f(NONE)));
      counts = counts & !untried;
    }
  }
  let first = counts & (score > rivalScore);
  let next = counts & !first & (score > secondScore);
  second = select(select(second, vec4u(i), next), rival, first);
  secondScore = select(select(secondScore, score, next), rivalScore, first);
  rival = select(rival, vec4u(i), first);
  rivalScore = select(rivalScore, score, first);
}

// One arm has a new score; then `decide`. Where a logged arm is or was untried, all must be met instead.
fn meetAgain(i: u32, score: vec4f) {
  let counts = loggedArm != vec4u(i);
  let isRival = rival == vec4u(i);
  let isSecond = counts & !isRival & ((second == vec4u(i)) | (score > secondScore));
  rivalScore = select(rivalScore, score, isRival);
  second = select(second, vec4u(i), isSecond);
  secondScore = select(secondScore, score, isSecond);
  most = select(most, max(most, score), counts);
}

// own + e < least(best − e): its true score is below what ties with the true maximum. most + e < least(own − e): every
// other one's is below what ties with its own.
fn decide() {
  let error = band(max(own, most));
  beaten = ruledOut | (own + error < leastOf(max(rivalScore, secondScore) - error));
  chosen = !beaten & (most + error < leastOf(own - error));
}

fn decideMet() {
  most = rivalScore;
  decide();
}

fn startRanking() {
  lower = vec4f(NONE);
  higher = vec4f(NONE);
}

// Every arm is ranked once.
fn rank(i: u32, score: vec4f) {
  var tie = untried;
  if (any(untried) && isTried(armOf(i))) { tie = vec4<bool>(false); }
  lower = select(lower, max(lower, score), (vec4u(i) < loggedArm) & !tie);
  higher = select(higher, max(higher, score), (vec4u(i) > loggedArm) & !tie);
}
