// Beta variates as quotients of gamma variates (Marsaglia & Tsang 2000). In TypeScript: src/learner/means/beta.ts, which has the
// algorithm and the numbers of the draws.
//
// Needs lib/pair.wgsl and lib/normal.wgsl before it, and drawWords(event, draw) of whoever uses it.
//
// An attempt proposes d v, v = (1 + w)³ with w = c x and x normal. Two things cancel if they are computed as written:
//   * the test ln u < x²/2 + d − d v + d ln v. As d c² = 1/9 its right side is 3 d (ln(1 + w) − w + w²/2 − w³/3), and the
//     bracket begins with −w⁴/4. That is small, and so is an error relative to it: of 5 million tests f32 decided
//     each as f64.
//   * θ of large shapes, which differs from m = d_X / (d_X + d_Y) by little. So a variate is δ = θ − m, in f32 relative to
//     its own size, whatever the shapes; m is a pair. With r = 1 + w,
//       δ = m (1 − m) (w_X − w_Y) (r_X² + r_X r_Y + r_Y²) / (m r_X³ + (1 − m) r_Y³).
//
// How far θ is off, first order, in units of u = 2^-24, with d within 14 u², so m within M = 94 u² (pairDiv's 61 among them), and
// r_X and r_Y off by W |w| = 12 |w| beside their rounding (10 of x, 1 of c, 1 of the product):
//     θ (1 − θ) · 3 W (|w_X|/r_X + |w_Y|/r_Y)      from w, and
//     |δ| · (26 + 2 M m/(1 − m))                     from δ: 12 of its numerator, 9 of its denominator, 5 (2.5 ulp) of `/`.
// test/gpu/gamma.test.ts holds every variate against that, and says what it comes to where a shape is below 1.
//
// Shapes below 1 have a factor U^(1/shape) that knows no bounds, and no m: δ is θ there, or θ − 1 (negative) above 1/2.

const GAMMA_ATTEMPTS = 15u;
const DRAWS_PER_GAMMA = 32u;
const THIRD = vec2f(0.3333333432674408, -9.934107758624577e-09);

// What variates of an arm have in common: m (a pair), c_X and c_Y; c is negative where the shape is below 1.
// Shapes are pairs, so that counts beyond 2²⁴ are as exact as others.
fn betaModel(a: vec2f, b: vec2f) -> vec4f {
  let x = gammaSize(a);
  let y = gammaSize(b);
  let c = vec2f(gammaSpread(x), gammaSpread(y));
  return vec4f(pairDiv(x, pairAdd(x, y)), select(c, -c, vec2f(a.x, b.x) < vec2f(1.0)));
}

// d.
fn gammaSize(shape: vec2f) -> vec2f { return pairSub(pairAdd(shape, pairOf(select(0.0, 1.0, shape.x < 1.0))), THIRD); }

// c = 1/√(9d).
fn gammaSpread(d: vec2f) -> f32 { return pairInverseSqrt(pairScale(d, 9.0)).x; }

// ln(1 + w) − w + w²/2 − w³/3 for w > −1.
fn log1pRest(w: f32) -> f32 {
  let square = w * w;
  if (w < -0.3 || w > 0.35) { return logF32(1.0 + w) - w * (1.0 - w * (0.5 - w * 0.333333343)); }
  // Minimax within 1e-7 of itself.
  let p = 0.25 + w * (-0.19999972 + w * (0.166669264 + w * (-0.142894134 + w * (0.124868825 + w * (-0.109755285
    + w * (0.101747505 + w * (-0.109250896 + w * 0.0835437924)))))));
  return -square * square * p;
}

// Whether an attempt is accepted.
fn isAccepted(x: f32, w: f32, c: f32, words: vec2u) -> bool {
  // u is 1 − (53 bits), of which these are the first 27.
  let complement = f32(words.x >> 5u) * TWO_TO_MINUS_27;
  let square = x * x;
  // Implied by the test (their 0.0331, with room for rounding), and true for nearly all attempts.
  if (complement > 0.034 * square * square) { return true; }
  return logComplementUnit(words) < log1pRest(w) / (3.0 * c * c);
}

// w of the accepted attempts for X and for Y; 0 where there is none.
fn gammaSteps(event: u32, firstDraw: u32, cX: f32, cY: f32) -> vec2f {
  // One loop for both: lanes with a rejected X wait for those with a rejected Y no second time.
  var accepted = vec2f(0.0);
  var c = cX;
  var draw = firstDraw;
  var last = firstDraw + 2u * GAMMA_ATTEMPTS;
  var forX = true;
  loop {
    let x = normal(drawWords(event, draw));
    let w = c * x;
    var done = false;
    if (w > -1.0 && isAccepted(x, w, c, drawWords(event, draw + 1u))) {
      if (forX) { accepted.x = w; } else { accepted.y = w; }
      done = true;
    }
    draw += 2u;
    if (done || draw == last) {
      if (!forX) { break; }
      forX = false;
      c = cY;
      draw = firstDraw + DRAWS_PER_GAMMA;
      last = draw + 2u * GAMMA_ATTEMPTS;
    }
  }
  return accepted;
}

// δ of an arm at an event; `inverse` holds 1/shape of X and of Y for shapes below 1.
fn betaDelta(event: u32, arm: u32, model: vec4f, inverse: vec2f) -> f32 {
  let first = 2u * DRAWS_PER_GAMMA * arm;
  let w = gammaSteps(event, first, abs(model.z), abs(model.w));
  let r = 1.0 + w;
  let n = opaque(1.0 - model.x) - model.y;
  let cubes = vec2f(model.x, n) * r * r * r;
  if (model.z > 0.0 && model.w > 0.0) {
    return model.x * n * (w.x - w.y) * (r.x * r.x + r.x * r.y + r.y * r.y) / (cubes.x + cubes.y);
  }
  // ln U / shape, of X and of Y.
  var logs = vec2f(0.0);
  for (var k = select(1u, 0u, model.z < 0.0); k < select(1u, 2u, model.w < 0.0); k++) {
    logs[k] = logComplementUnit(drawWords(event, first + k * DRAWS_PER_GAMMA + 2u * GAMMA_ATTEMPTS)) * inverse[k];
  }
  // The larger factor is taken out of both.
  let x = cubes.x * expF32(min(logs.x - logs.y, 0.0));
  let y = cubes.y * expF32(min(logs.y - logs.x, 0.0));
  if (x < y) { return x / (x + y); }
  return -max(y / (x + y), 1.0e-30);
}

// θ from δ.
fn betaValue(model: vec4f, delta: f32) -> vec2f {
  if (model.z > 0.0 && model.w > 0.0) { return pairAdd(model.xy, pairOf(delta)); }
  return pairAdd(pairOf(select(0.0, 1.0, delta < 0.0)), pairOf(delta));
}
