// Pairs: numbers of about 48 bits as unevaluated sums of two f32, because WGSL has no f64.
//
// A pair is a vec2f (x = high, y = low) with fl(x + y) = x, so |y| <= ulp(x)/2 and equal numbers are equal words. Sources:
// Knuth, TAOCP 2, 4.2.2 (two-sum); Dekker 1971 (fast two-sum, product); Hida, Li & Bailey 2001, "QD" (functions);
// Joldes, Muller & Popescu 2017, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic".
//
// **A kernel that uses this file declares the uniform field `zero: u32`, and its host sets it to 0.**
//
// WGSL lets compilers reassociate and fuse, and Mesa does rewrite (a + b) - a to b. So every intermediate result that an
// algebraic identity could reach goes through `opaque`; what is left unguarded may be fused or regrouped without harm.
// `/`, `sqrt` and `inverseSqrt` may be some ulp off and only start a correction; no other builtin function is used, and
// `fma`, which need not be exact, is not either. Whether an adapter rounds + - * as all this needs is what
// src/gpu/pair-check.ts finds out.
//
// Where `/` and `inverseSqrt` come in, bounds follow from what WGSL grants them (Accuracy of floating-point evaluation): 2.5 and
// 2 ulp, which are D = 5 and E = 4 in units of u = 2^-24, for an ulp of x is at most 2u·|x|. They are sums of all roundings in
// units of u², for the worst grouping; test/gpu/pair.test.ts computes them from D and E, and makes D and E worse on purpose.
//
// Bounds are relative and hold for magnitudes within 2^-60..2^60 (so no low word is subnormal: some adapters flush those).

const LN2 = vec2f(0.6931471824645996, -1.9046542121259336e-09);
// ln 2 = LN2_HIGH (17 bits, so that its products with exponents are exact) + LN2_REST.
const LN2_HIGH = 0.693145751953125;
const LN2_REST = vec2f(1.428606765330187e-06, 5.497923148104107e-14);
const LOG2_E = 1.4426950408889634;

// The same number, as one that a compiler knows nothing about. OR, not XOR: guarding twice must not undo the guard.
fn opaque(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) | params.zero); }

// First guesses, D and E off.
fn roughQuotient(a: f32, b: f32) -> f32 { return opaque(a / b); }
fn roughInverseSqrt(x: f32) -> f32 { return opaque(inverseSqrt(x)); }

// 2^k for -126 <= k <= 127.
fn powerOfTwo(k: i32) -> f32 { return bitcast<f32>(u32(k + 127) << 23u); }

// a + b exactly, for |a| >= |b| or a a multiple of ulp(b) (Dekker).
fn fastSum(a: f32, b: f32) -> vec2f {
  let y = opaque(b);
  let s = opaque(a + y);
  return vec2f(s, opaque(y - opaque(s - a)));
}

fn pairOf(x: f32) -> vec2f { return vec2f(x, 0.0); }

// a + b exactly (Knuth).
fn pairSum(a: f32, b: f32) -> vec2f {
  let x = opaque(a);
  let y = opaque(b);
  let s = opaque(x + y);
  let fromY = opaque(s - x);
  let fromX = opaque(s - fromY);
  return vec2f(s, opaque(opaque(x - fromX) + opaque(y - fromY)));
}

// The upper 12 bits, by masking: with Veltkamp's splitting a fused multiply-add would get in.
fn upperBits(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }

// a · b exactly (Dekker). All four part products are exact, and so is each sum: fused or not, the result is the same.
fn pairProduct(a: f32, b: f32) -> vec2f {
  let x = opaque(a);
  let y = opaque(b);
  let p = opaque(x * y);
  let xHigh = upperBits(x);
  let yHigh = upperBits(y);
  let xLow = opaque(x - xHigh);
  let yLow = opaque(y - yHigh);
  let most = opaque(opaque(xHigh * yHigh - p) + xHigh * yLow);
  return vec2f(p, opaque(opaque(most + xLow * yHigh) + xLow * yLow));
}

// Within 2^-46 of |a| + |b| (Joldes et al., algorithm 5): after cancellation the error is relative to what cancelled.
fn pairAdd(a: vec2f, b: vec2f) -> vec2f {
  let s = pairSum(a.x, b.x);
  return fastSum(s.x, s.y + (a.y + b.y));
}

fn pairNegate(a: vec2f) -> vec2f { return -a; }

fn pairSub(a: vec2f, b: vec2f) -> vec2f { return pairAdd(a, -b); }

// Within 2^-45 (Joldes et al., algorithm 10).
fn pairMul(a: vec2f, b: vec2f) -> vec2f {
  let p = pairProduct(a.x, b.x);
  return fastSum(p.x, p.y + (a.x * b.y + a.y * b.x));
}

// Within 2^-45 (Joldes et al., algorithm 8).
fn pairScale(a: vec2f, b: f32) -> vec2f {
  let p = pairProduct(a.x, b);
  return fastSum(p.x, p.y + a.y * b);
}

// a · b + c within 2^-45 of |a · b| + |c|; one renormalization less than product, then sum.
fn pairMulAdd(a: vec2f, b: vec2f, c: vec2f) -> vec2f {
  let p = pairProduct(a.x, b.x);
  let s = pairSum(p.x, c.x);
  return fastSum(s.x, s.y + (p.y + (a.x * b.y + a.y * b.x) + c.y));
}

// a · x + c, likewise.
fn pairMulAddScalar(a: vec2f, x: f32, c: vec2f) -> vec2f {
  let p = pairProduct(a.x, x);
  let s = pairSum(p.x, c.x);
  return fastSum(s.x, s.y + (p.y + a.y * x + c.y));
}

// a − q·b in f32, for q within D u of a.x/b.x, so that the leading words cancel exactly. At most (D + 2) u |a|, and within
// (3D + 4) u² |a|: the difference to p.y is rounded at D u, q·b.y at u, the sums at (D + 1) u and (D + 2) u.
fn remainder(a: vec2f, q: f32, b: vec2f) -> f32 {
  let p = pairProduct(q, b.x);
  return opaque(opaque(a.x - p.x) - p.y) + (a.y - q * b.y);
}

// Long division with two digits. Within 61 u² < 2^-42: (3D + 4) of the remainder, and the second quotient is (D + 2) u of the
// first and D + 1 off, 1 for b.x in place of b.
fn pairDiv(a: vec2f, b: vec2f) -> vec2f {
  let q = roughQuotient(a.x, b.x);
  return fastSum(q, roughQuotient(remainder(a, q, b), b.x));
}

// A Newton step of third order. Within 24 u² < 2^-43: h is at most (D + 1) u and within (2D + 2) u², as 1 has no low word; then
// its square is added and y multiplied.
fn pairInverse(a: vec2f) -> vec2f {
  let y = roughQuotient(1.0, a.x);
  let h = remainder(vec2f(1.0, 0.0), y, a);
  return fastSum(y, y * (h + h * h));
}

// For a >= 0: Newton's step from a.x · a.x^(-1/2) (Karp & Markstein 1997). Within 51 u² < 2^-42: with y off by ε and s by
// σ = ε + u, the step leaves εσ + σ²/2 and, for the low word of a, εu/2 + u²/8; half of the remainder's 4 (E + 1) + 1, and the
// product, E + 3/2.
fn pairSqrt(a: vec2f) -> vec2f {
  if (a.x <= 0.0) { return vec2f(0.0); }
  let y = roughInverseSqrt(a.x);
  let s = opaque(a.x * y);
  return fastSum(s, 0.5 * y * remainder(a, s, vec2f(s, 0.0)));
}

// For a > 0: a Newton step of third order. Within 22 u² < 2^-43: h is at most (2E + 1) u; half of its error, which is that of t
// and one rounding, 8 + 2E + 1, and three roundings of h/2.
fn pairInverseSqrt(a: vec2f) -> vec2f {
  let y = roughInverseSqrt(a.x);
  let t = pairMul(a, pairProduct(y, y));
  let h = opaque(1.0 - t.x) - t.y;
  return fastSum(y, y * (h * (0.5 + 0.375 * h)));
}

// Exact.
fn pairFromU32(u: u32) -> vec2f { return pairSum(f32(u & 0xffff0000u), f32(u & 0xffffu)); }

// Exact below 2^48, else rounded to a pair.
fn pairFromU64(low: u32, high: u32) -> vec2f {
  return pairAdd(pairFromU32(high) * 4294967296.0, pairFromU32(low));
}

fn pairLess(a: vec2f, b: vec2f) -> bool { return a.x < b.x || (a.x == b.x && a.y < b.y); }

fn pairMax(a: vec2f, b: vec2f) -> vec2f { return select(a, b, pairLess(a, b)); }

fn pairAbs(a: vec2f) -> vec2f { return select(a, -a, a.x < 0.0); }

// 1/n! for n = 2..6.
const EXP_2 = vec2f(0.5, 0.0);
const EXP_3 = vec2f(0.1666666716337204, -4.967053879312289e-09);
const EXP_4 = vec2f(0.0416666679084301, -1.2417634698280722e-09);
const EXP_5 = vec2f(0.008333333767950535, -4.34617203337595e-10);
const EXP_6 = vec2f(0.0013888889225199819, -3.3631094437103215e-11);

// e^r for |r| <= 0.35: Taylor's series. From the seventh on, terms are so small that f32 does.
fn pairExpSmall(r: vec2f) -> vec2f {
  let x = r.x;
  let tail = 1.98412698e-4 + x * (2.48015873e-5 + x * (2.75573192e-6 + x * (2.75573192e-7 + x * (2.50521084e-8
    + x * 2.08767570e-9))));
  var p = pairMulAddScalar(r, tail, EXP_6);
  p = pairMulAdd(r, p, EXP_5);
  p = pairMulAdd(r, p, EXP_4);
  p = pairMulAdd(r, p, EXP_3);
  p = pairMulAdd(r, p, EXP_2);
  p = pairMulAdd(r, p, vec2f(1.0, 0.0));
  return pairMulAdd(r, p, vec2f(1.0, 0.0));
}

// Within 2^-42 for -58 <= a <= 88, e^88 above. Below, the low word may be flushed (an error of 2^-126), and under -87 it is 0.
fn pairExp(a: vec2f) -> vec2f {
  if (a.x < -87.0) { return vec2f(0.0); }
  let bounded = select(a, vec2f(88.0, 0.0), a.x > 88.0);
  let k = round(bounded.x * LOG2_E);
  // Exact, fused or not: both terms are multiples of the same ulp, and the difference is short.
  let first = opaque(bounded.x - k * LN2_HIGH);
  let r = pairMulAddScalar(LN2_REST, -k, pairSum(first, bounded.y));
  return pairExpSmall(r) * powerOfTwo(i32(k));
}

// The k for which x · 2^-k lies in [sqrt(1/2), sqrt(2)), for positive normal x.
fn nearestExponent(x: f32) -> i32 { return i32((bitcast<u32>(x) + (0x3f800000u - 0x3f3504f3u)) >> 23u) - 127; }

// 1/n for n = 3, 5, 7.
const ATANH_3 = vec2f(0.3333333432674408, -9.934107758624577e-09);
const ATANH_5 = vec2f(0.20000000298023224, -2.9802322831784522e-09);
const ATANH_7 = vec2f(0.1428571492433548, -6.38621200366174e-09);

// k ln 2 + 2 artanh((m − 1)/(m + 1)), a = 2^k m, for 0 < a < 2^126. Within 101 u² < 2^-41, near 1 too: m − 1 is exact, so s is off
// by a quotient and a sum, 61 + 4, of which 1.03 times as much arrives; pairMulAdd's 8 u² and the small products', 9; and
// 8 u² of three times the value, as k ln 2 may be half cancelled.
fn pairLog(a: vec2f) -> vec2f {
  let k = nearestExponent(a.x);
  let m = a * powerOfTwo(-k);
  let s = pairDiv(pairAdd(m, vec2f(-1.0, 0.0)), pairAdd(m, vec2f(1.0, 0.0)));
  let w = pairMul(s, s);
  let x = w.x;
  let tail = 1.0 / 9.0 + x * (1.0 / 11.0 + x * (1.0 / 13.0 + x * (1.0 / 15.0 + x * (1.0 / 17.0 + x * (1.0 / 19.0)))));
  var p = pairMulAddScalar(w, tail, ATANH_7);
  p = pairMulAdd(w, p, ATANH_5);
  p = pairMulAdd(w, p, ATANH_3);
  return pairMulAddScalar(LN2, f32(k), 2.0 * pairMulAdd(pairMul(s, w), p, s));
}

// 1/(1 + e^-a): e^-|a| cannot overflow. Within 100 u² < 2^-41 (coarser below -58, as the exponential): 64 u² of the exponential,
// a sum, an inverse and a product.
fn pairSigmoid(a: vec2f) -> vec2f {
  let t = pairExp(-pairAbs(a));
  let upper = pairInverse(pairAdd(vec2f(1.0, 0.0), t));
  if (a.x >= 0.0) { return upper; }
  return pairMul(t, upper);
}
