// Normal variates and logarithms of uniform ones, from the two words of a Threefry draw. In TypeScript: src/learner/draws.ts.
//
// Needs lib/pair.wgsl before it (and so the uniform field `zero`). Nothing here uses the builtin exp, log, sin or cos:
// those may be tens of ulp off, and off by something else on every adapter. Polynomials are minimax fits.
//
// Bounds are relative, in units of u = 2^-24, and sums of all roundings; + - * are rounded correctly, inverseSqrt is within 4
// (2 ulp), and only where a correction follows.

const TWO_TO_MINUS_27 = 7.450580596923828e-9;
const TWO_TO_MINUS_29 = 1.862645149230957e-9;
const TWO_TO_MINUS_32 = 2.3283064365386963e-10;
const TWO_TO_MINUS_53 = 1.1102230246251565e-16;

// u rounded once; the builtin conversion may round either way.
fn f32FromU32(u: u32) -> f32 { return f32(u & 0xffff0000u) + f32(u & 0xffffu); }

// u + 1/2, likewise.
fn f32FromHalfOdd(u: u32) -> f32 { return f32(u & 0xffff0000u) + (f32(u & 0xffffu) + 0.5); }

// ln(1 + f) for sqrt(1/2) <= 1 + f <= sqrt(2). Within 1.9: the last difference, 3.6 of f² (1/2 − f p), which is a fifth of it, 0.1 of the fit.
fn log1pSeries(f: f32) -> f32 {
  let p = 0.333333164 + f * (-0.250008106 + f * (0.200022861 + f * (-0.166245535 + f * (0.141811922
    + f * (-0.131287545 + f * (0.12881647 + f * -0.0785961151))))));
  return f - f * f * (0.5 - f * p);
}

// ln x for positive normal x. Within 4: at √½, the least, k ln 2 is half cancelled.
fn logF32(x: f32) -> f32 {
  let k = nearestExponent(x);
  // Two factors: 2^-k alone may be subnormal.
  let half = k / 2;
  let m = x * powerOfTwo(-half) * powerOfTwo(half - k);
  return f32(k) * LN2.x + (log1pSeries(m - 1.0) + f32(k) * LN2.y);
}

// e^x; 0 below -87, e^88 above 88. Within 3: r is rounded at 0.35, what is added to 1 at 0.7, over at least 0.7; and the last sum.
fn expF32(x: f32) -> f32 {
  if (x < -87.0) { return 0.0; }
  let bounded = min(x, 88.0);
  let k = round(bounded * LOG2_E);
  let r = opaque(bounded - k * LN2_HIGH) - k * LN2_REST.x;
  let p = 0.5 + r * (0.166665182 + r * (0.041666206 + r * (0.00836890843 + r * 0.00139505242)));
  return (1.0 + (r + r * r * p)) * powerOfTwo(i32(k));
}

// sqrt(x) for x > 0. Within 1.5: half of s², and the sum.
fn sqrtF32(x: f32) -> f32 {
  let y = roughInverseSqrt(x);
  let s = opaque(x * y);
  return s + 0.5 * y * (x - s * s);
}

// ln((word + 1/2) / 2^32), near 2^32 from the complement, which has the digits that the sum lacks. Within 7: what word + 1/2 is
// rounded by counts three times at √½.
fn logHalfOdd(word: u32) -> f32 {
  let complement = f32FromHalfOdd(~word) * TWO_TO_MINUS_32;
  if (complement < 0.29) { return log1pSeries(-complement); }
  return logF32(f32FromHalfOdd(word) * TWO_TO_MINUS_32);
}

// The angle 2π(word + 1/2)/2^32 lies in an octant; its distance from the nearest axis is (steps + 1/2)/2^29 of π/4.
fn octantSteps(word: u32) -> u32 {
  let steps = word & 0x1fffffffu;
  return select(steps, 0x1fffffffu - steps, (word & 0x20000000u) != 0u);
}

// Whether the cosine of the angle is ±sin of that distance (octants 1, 2, 5 and 6), not ±cos.
fn octantHasSine(word: u32) -> bool { return (((word >> 29u) + 1u) & 2u) != 0u; }

// Whether it is negative (octants 2 to 5).
fn octantIsNegative(word: u32) -> bool { return (((word >> 29u) + 2u) & 4u) != 0u; }

// cos(2π(word + 1/2)/2^32), within 4: f once, the bracket 1.3, the product 1, the fit 0.6.
fn cosineF32(word: u32) -> f32 {
  let f = f32FromHalfOdd(octantSteps(word)) * TWO_TO_MINUS_29;
  let t = f * f;
  let sine = f * (0.785398185 + t * (-0.0807454363 + t * (0.00249000709 + t * -3.59545083e-5)));
  let cosine = 1.0 + t * (-0.308425128 + t * (0.015854327 + t * (-0.000325942005 + t * 3.53133464e-6)));
  let size = select(cosine, sine, octantHasSine(word));
  return select(size, -size, octantIsNegative(word));
}

// The standard normal variate of two words (Box & Muller 1958), within 10: half of 7, 1.5, 4, and the product.
fn normal(words: vec2u) -> f32 { return sqrtF32(-2.0 * logHalfOdd(words.x)) * cosineF32(words.y); }

// ln(1 − u) within 10, as logHalfOdd, but rounded twice; u = toUnit(words) in src/random/threefry.ts; 1 − u is at least 2^-53.
fn logComplementUnit(words: vec2u) -> f32 {
  // u = high/2^27 + low/2^53.
  let high = words.x >> 5u;
  let low = words.y >> 6u;
  let u = f32FromU32(high) * TWO_TO_MINUS_27 + f32(low) * TWO_TO_MINUS_53;
  if (u < 0.29) { return log1pSeries(-u); }
  let complement = f32FromU32(0x7ffffffu - high) * TWO_TO_MINUS_27
    + f32(0x4000000u - low) * TWO_TO_MINUS_53;
  return logF32(complement);
}

// (π/4)/2^29.
const OCTANT_STEP = vec2f(1.462918119976564e-09, -4.070940267922164e-17);
// 1/n! with signs, for cos (even n) and for sin(x)/x (odd n).
const COSINE_4 = vec2f(0.0416666679084301, -1.2417634698280722e-09);
const COSINE_6 = vec2f(-0.0013888889225199819, 3.3631094437103215e-11);
const SINE_3 = vec2f(-0.1666666716337204, 4.967053879312289e-09);
const SINE_5 = vec2f(0.008333333767950535, -4.34617203337595e-10);
const SINE_7 = vec2f(-0.00019841270113829523, 2.725596874933456e-12);

// word + 1/2, exactly.
fn pairFromHalfOdd(word: u32) -> vec2f { return pairAdd(pairFromU32(word), vec2f(0.5, 0.0)); }

// cos(2π(word + 1/2)/2^32) as a pair: one Taylor series, whose coefficients are chosen by the octant.
fn cosinePair(word: u32) -> vec2f {
  let isSine = octantHasSine(word);
  let x = pairMul(pairFromHalfOdd(octantSteps(word)), OCTANT_STEP);
  let t = pairMul(x, x);
  let cosineTail = 2.48015873e-5 + t.x * (-2.75573192e-7 + t.x * (2.0876757e-9 + t.x * -1.14707456e-11));
  let sineTail = 2.75573192e-6 + t.x * (-2.50521084e-8 + t.x * (1.60590438e-10 + t.x * -7.64716373e-13));
  var p = pairMulAddScalar(t, select(cosineTail, sineTail, isSine), select(COSINE_6, SINE_7, isSine));
  p = pairMulAdd(t, p, select(COSINE_4, SINE_5, isSine));
  p = pairMulAdd(t, p, select(vec2f(-0.5, 0.0), SINE_3, isSine));
  p = pairMulAdd(t, p, vec2f(1.0, 0.0));
  let size = select(p, pairMul(x, p), isSine);
  return select(size, -size, octantIsNegative(word));
}

// The same variate within 1e-11.
fn normalPair(words: vec2u) -> vec2f {
  let logarithm = pairLog(pairFromHalfOdd(words.x) * TWO_TO_MINUS_32);
  return pairMul(pairSqrt(-2.0 * logarithm), cosinePair(words.y));
}
