/**
 * Ridge regressions in numbers of 106 bits (`double-double.ts`), for contexts whose f64 regressions lose their digits.
 *
 * Of A = λI + Σ w φ φᵀ never the squares are formed: R, upper triangular with RᵀR = A, is the triangular factor of the rows
 * √λ I and √w φᵀ, and each new row is rotated into it (Givens; Golub & Van Loan, Matrix Computations, 6.5.3), with the
 * right-hand side c beside it. So errors grow with the condition number of the rows, the square root of A's. For u = R⁻ᵀφ
 *
 *     φᵀA⁻¹φ = ‖u‖²,     φᵀθ = uᵀc.
 *
 * φ of arm a is its context x in the a-th of K blocks and, in hybrid models, z behind all of them; rows of R that belong to an
 * arm then have entries in its own block and in z's columns only. Disjoint models have k = 0.
 */

import type { Archive } from '../../archive.js';
import { DoubleDouble } from './double-double.js';
import { packedSize } from './packed.js';
import { type Solved, solvedRoot, worseOf } from './solved.js';

/** Lengths: K arms, contexts of d, z of k. */
export interface WideShape {
  readonly arms: number;
  readonly d: number;
  readonly k: number;
}

export class WideFactors {
  /** x, and z behind it, of what is scored or learnt; after writing to it call `load`. */
  readonly row: Float64Array;
  /** What the row's numbers lack of products that f64 rounds. */
  readonly low: Float64Array;
  /** Rows of R, each with c at its end. Of arms: [K, d, d + k + 1]; shared ones: [k, k + 1]. */
  private readonly own: Pairs;
  private readonly shared: Pairs;
  /** Σ of payoff times x: [K, d]. */
  private readonly b: Float64Array;
  /** What is left of the row on its way through R, the right-hand side at its end; u. */
  private readonly rest: Pairs;
  private readonly u: Pairs;
  /** Arm whose u it is; −1: none. */
  private solvedArm = -1;
  private readonly total = new DoubleDouble();
  private readonly square = new DoubleDouble();
  private readonly one = new DoubleDouble();
  private readonly two = new DoubleDouble();
  private readonly cosine = new DoubleDouble();
  private readonly sine = new DoubleDouble();

  constructor(
    private readonly shape: WideShape,
    lambda: number,
  ) {
    const { arms, d, k } = shape;
    this.row = new Float64Array(d + k);
    this.low = new Float64Array(d + k);
    this.own = new Pairs(arms * d * (d + k + 1));
    this.shared = new Pairs(k * (k + 1));
    this.b = new Float64Array(arms * d);
    this.rest = new Pairs(d + k + 1);
    this.u = new Pairs(d + k);
    const prior = this.one.set(lambda).root();
    for (let r = 0; r < arms * d; r++) this.own.put(r * (d + k + 1) + (r % d), prior);
    for (let r = 0; r < k; r++) this.shared.put(r * (k + 1) + r, prior);
  }

  load(): void {
    this.solvedArm = -1;
  }

  /** φᵀθ */
  mean(arm: number): number {
    this.solve(arm);
    return this.total.hi;
  }

  /** φᵀA⁻¹φ */
  variance(arm: number): number {
    this.solve(arm);
    return this.square.hi;
  }

  /** A ← A + φ φᵀ, b ← b + r φ. @param payoff r */
  regress(arm: number, payoff: number): void {
    const { row, b, shape } = this;
    for (let j = 0; j < shape.d; j++) b[arm * shape.d + j] += payoff * row[j];
    this.rotateIn(arm, this.one.set(1), this.two.set(payoff));
  }

  /** A ← A + w φ φᵀ, then θ ← θ + A⁻¹φ · residual. @param weight w ≥ 0 */
  step(arm: number, weight: number, residual: number): void {
    // A row whose right-hand side is √w φᵀθ leaves θ; then Rθ moves by R A⁻¹φ · residual = u · residual.
    this.solve(arm);
    const root = this.one.set(weight).root();
    this.rotateIn(arm, root, this.two.copy(this.total).times(root.hi, root.lo));
    if (residual === 0) return;
    this.solve(arm);
    const { u, own, shared } = this;
    const { d, k } = this.shape;
    for (let i = 0; i < d; i++) own.addProduct((arm * d + i + 1) * (d + k + 1) - 1, u.hi[i], u.lo[i], residual);
    for (let i = 0; i < k; i++) shared.addProduct((i + 1) * (k + 1) - 1, u.hi[d + i], u.lo[d + i], residual);
    this.solvedArm = -1;
  }

  /** θ of each arm, [K, d], and β, [k]. */
  coefficients(): { theta: Float64Array; beta: Float64Array } {
    const { arms, d, k } = this.shape;
    const beta = new Pairs(k);
    this.backward(this.shared, 0, k, k + 1, beta, beta);
    const theta = new Float64Array(arms * d);
    const one = new Pairs(d);
    for (let arm = 0; arm < arms; arm++) {
      this.backward(this.own, arm * d * (d + k + 1), d, d + k + 1, one, beta);
      theta.set(one.hi, arm * d);
    }
    return { theta, beta: beta.hi };
  }

  solved(): Solved {
    const { arms, d, k } = this.shape;
    const { theta, beta } = this.coefficients();
    let worst: Solved = { condition: 1, residual: 0 };
    for (let arm = 0; arm < arms; arm++) {
      const root = this.lowerRoot(this.own, arm * d * (d + k + 1), d, d + k + 1);
      // What the shared coefficients explain is no business of the arm's equations: A_a θ_a = b_a − B_a β.
      const b = this.b.slice(arm * d, (arm + 1) * d);
      for (let i = 0; i < d; i++) {
        for (let r = 0; r <= i; r++) {
          const place = (arm * d + r) * (d + k + 1);
          let shared = 0;
          for (let j = 0; j < k; j++) shared += this.own.hi[place + d + j] * beta[j];
          b[i] -= this.own.hi[place + i] * shared;
        }
      }
      worst = worseOf(worst, solvedRoot({ entries: root, of: 'matrix' }, theta.subarray(arm * d, (arm + 1) * d), b));
    }
    if (k === 0) return worst;
    return worseOf(worst, solvedRoot({ entries: this.lowerRoot(this.shared, 0, k, k + 1), of: 'matrix' }, beta, null));
  }

  carry(archive: Archive): void {
    for (const { hi, lo } of [this.own, this.shared]) {
      archive.array(hi);
      archive.array(lo);
    }
    archive.array(this.b);
    this.solvedArm = -1;
  }

  /** u of an arm, ‖u‖² and uᵀc. */
  private solve(arm: number): void {
    if (this.solvedArm === arm) return;
    this.solvedArm = arm;
    const { row, low, rest, total, square } = this;
    const { d, k } = this.shape;
    for (let j = 0; j < d + k; j++) rest.put(j, this.one.set(row[j], low[j]));
    total.set(0);
    square.set(0);
    this.forward(this.own, arm * d * (d + k + 1), d, 0);
    this.forward(this.shared, 0, k, d);
  }

  /** Rows of R that begin at `from`, whose pivots are columns `first` .. of φ. */
  private forward({ hi, lo }: Pairs, from: number, rows: number, first: number): void {
    const { rest, u, total, square, one } = this;
    const width = this.row.length - first;
    for (let i = 0; i < rows; i++) {
      const row = from + i * (width + 1);
      if (rest.hi[first + i] === 0) {
        u.set(first + i, 0);
        continue;
      }
      one.set(rest.hi[first + i], rest.lo[first + i]).dividedBy(hi[row + i], lo[row + i]);
      const { hi: uHi, lo: uLo } = one;
      u.put(first + i, one);
      square.addProduct(uHi, uLo, uHi, uLo);
      total.addProduct(uHi, uLo, hi[row + width], lo[row + width]);
      for (let j = i + 1; j < width; j++) {
        if (hi[row + j] === 0) continue;
        one.set(rest.hi[first + j], rest.lo[first + j]).addProduct(-uHi, -uLo, hi[row + j], lo[row + j]);
        rest.put(first + j, one);
      }
    }
  }

  /** Rotates (root · φᵀ, right) into R. */
  private rotateIn(arm: number, root: DoubleDouble, right: DoubleDouble): void {
    const { row, low, rest } = this;
    const { d, k } = this.shape;
    rest.put(d + k, right);
    const { hi, lo } = root;
    for (let j = 0; j < d + k; j++) rest.put(j, this.two.product(row[j], low[j], hi, lo));
    this.rotate(this.own, arm * d * (d + k + 1), d, 0);
    this.rotate(this.shared, 0, k, d);
    this.solvedArm = -1;
  }

  private rotate({ hi, lo }: Pairs, from: number, rows: number, first: number): void {
    const { rest, one, two, cosine, sine } = this;
    const width = this.row.length - first;
    for (let i = 0; i < rows; i++) {
      const aHi = rest.hi[first + i];
      const aLo = rest.lo[first + i];
      if (aHi === 0) continue;
      const row = from + i * (width + 1);
      const pHi = hi[row + i];
      const pLo = lo[row + i];
      const length = one.product(pHi, pLo, pHi, pLo).addProduct(aHi, aLo, aHi, aLo).root();
      cosine.set(pHi, pLo).dividedBy(length.hi, length.lo);
      sine.set(aHi, aLo).dividedBy(length.hi, length.lo);
      hi[row + i] = length.hi;
      lo[row + i] = length.lo;
      for (let j = i + 1; j <= width; j++) {
        const rHi = hi[row + j];
        const rLo = lo[row + j];
        const vHi = rest.hi[first + j];
        const vLo = rest.lo[first + j];
        one.product(cosine.hi, cosine.lo, rHi, rLo).addProduct(sine.hi, sine.lo, vHi, vLo);
        two.product(cosine.hi, cosine.lo, vHi, vLo).addProduct(-sine.hi, -sine.lo, rHi, rLo);
        hi[row + j] = one.hi;
        lo[row + j] = one.lo;
        rest.put(first + j, two);
      }
    }
  }

  /** Solves rows of R from the last on; `known` are the coefficients of the columns behind them. */
  private backward({ hi, lo }: Pairs, from: number, rows: number, stride: number, out: Pairs, known: Pairs): void {
    const { one } = this;
    for (let i = rows - 1; i >= 0; i--) {
      const row = from + i * stride;
      one.set(hi[row + stride - 1], lo[row + stride - 1]);
      for (let j = stride - 2; j > i; j--) {
        const [vector, at] = j < rows ? [out, j] : [known, j - rows];
        one.addProduct(-hi[row + j], -lo[row + j], vector.hi[at], vector.lo[at]);
      }
      out.put(i, one.dividedBy(hi[row + i], lo[row + i]));
    }
  }

  /** Rᵀ of some rows in f64, packed. */
  private lowerRoot({ hi }: Pairs, from: number, rows: number, stride: number): Float64Array {
    const out = new Float64Array(packedSize(rows));
    for (let i = 0, at = 0; i < rows; i++) for (let j = 0; j <= i; j++) out[at++] = hi[from + j * stride + i];
    return out;
  }
}

/** An array of double-doubles. */
class Pairs {
  readonly hi: Float64Array;
  readonly lo: Float64Array;
  private readonly sum = new DoubleDouble();

  constructor(length: number) {
    this.hi = new Float64Array(length);
    this.lo = new Float64Array(length);
  }

  set(i: number, hi: number): void {
    this.hi[i] = hi;
    this.lo[i] = 0;
  }

  put(i: number, { hi, lo }: DoubleDouble): void {
    this.hi[i] = hi;
    this.lo[i] = lo;
  }

  addProduct(i: number, hi: number, lo: number, factor: number): void {
    this.put(i, this.sum.set(this.hi[i], this.lo[i]).addProduct(hi, lo, factor, 0));
  }
}
