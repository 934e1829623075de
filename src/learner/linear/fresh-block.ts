/** Equations of one block of columns in fixed point, and their solution: of an arm, or of what arms share. */

import { DoubleDouble } from './double-double.js';
import type { FixedPoint } from './fixed-point.js';
import { packedSize } from './packed.js';

export class FreshBlock {
  /** A, packed, and b, as they are summed. */
  readonly matrix: bigint[];
  readonly b: bigint[];
  /** L⁻¹, packed, and D, of A = L D Lᵀ or of what eliminating other columns leaves of it; c = L⁻¹b. */
  inverse: bigint[] = [];
  pivots: bigint[] = [];
  c: bigint[] = [];
  /** The same, rounded: L⁻¹, 1/D, c/D. */
  private readonly rows: readonly DoubleDouble[];
  private readonly weights: readonly DoubleDouble[];
  private readonly means: readonly DoubleDouble[];
  private readonly one = new DoubleDouble();

  /** @param n columns. */
  constructor(
    protected readonly fixed: FixedPoint,
    n: number,
    lambda: number,
  ) {
    this.matrix = zeros(packedSize(n));
    for (let i = 0; i < n; i++) this.matrix[packedSize(i) + i] = fixed.of(lambda);
    this.b = zeros(n);
    this.rows = doubles(packedSize(n));
    this.weights = doubles(n);
    this.means = doubles(n);
  }

  /** L⁻¹, D and c of a matrix and a right-hand side. */
  solve(matrix: readonly bigint[], b: readonly bigint[]): void {
    const { fixed, rows, weights, means, one } = this;
    const n = b.length;
    const { lower, pivots } = fixed.factor(matrix, n);
    this.pivots = pivots;
    this.inverse = fixed.invert(lower, n);
    this.c = b.map((_, i) => fixed.dot(this.inverse, packedSize(i), b, 0, i + 1));
    this.inverse.forEach((entry, i) => {
      fixed.round(entry, rows[i]);
    });
    pivots.forEach((pivot, i) => {
      fixed.round(pivot, one);
      weights[i].set(1).dividedBy(one.hi, one.lo);
      fixed.round(this.c[i], means[i]);
      means[i].times(weights[i].hi, weights[i].lo);
    });
  }

  /** u = L⁻¹x, and what it adds to the sums of u²/D and u c/D. */
  forward(x: readonly DoubleDouble[], u: readonly DoubleDouble[], square: DoubleDouble, total: DoubleDouble): void {
    const { rows, weights, means, one } = this;
    for (let i = 0, at = 0; i < x.length; i++) {
      u[i].set(0);
      for (let j = 0; j <= i; j++, at++) u[i].addProduct(rows[at].hi, rows[at].lo, x[j].hi, x[j].lo);
      const { hi, lo } = u[i];
      one.product(hi, lo, weights[i].hi, weights[i].lo);
      square.addProduct(one.hi, one.lo, hi, lo);
      total.addProduct(hi, lo, means[i].hi, means[i].lo);
    }
  }

  /** L⁻ᵀ y */
  backward(y: readonly bigint[]): bigint[] {
    return y.map((_, j) => {
      let sum = 0n;
      for (let i = j; i < y.length; i++) sum += this.fixed.times(this.inverse[packedSize(i) + j], y[i]);
      return sum;
    });
  }
}

/** An arm's, and where its columns meet the shared ones. */
export class ArmBlock extends FreshBlock {
  /** B_aᵀ: [k, d]; L's part below the arm's: [k, d], and rounded. */
  readonly cross: bigint[];
  readonly below: bigint[];
  readonly roundedBelow: readonly DoubleDouble[];
  /** What eliminating the arm takes from the shared matrix, packed, and right-hand side. */
  readonly takes: bigint[];
  readonly takesB: bigint[];
  stale = true;

  /** @param k shared columns. */
  constructor(
    fixed: FixedPoint,
    private readonly d: number,
    private readonly k: number,
    lambda: number,
  ) {
    super(fixed, d, lambda);
    this.cross = zeros(k * d);
    this.below = zeros(k * d);
    this.roundedBelow = doubles(k * d);
    this.takes = zeros(packedSize(k));
    this.takesB = zeros(k);
  }

  /** Solves the arm's equations, L_sa D = B_aᵀ L⁻ᵀ, and L_sa D L_saᵀ. */
  refresh(): void {
    if (!this.stale) return;
    this.stale = false;
    this.solve(this.matrix, this.b);
    const { fixed, d, inverse, pivots, cross, below, roundedBelow, takes, takesB, c } = this;
    for (let r = 0; r < this.k; r++) {
      const scaled = pivots.map((_, i) => fixed.dot(inverse, packedSize(i), cross, r * d, i + 1));
      for (let i = 0; i < d; i++) {
        below[r * d + i] = fixed.over(scaled[i], pivots[i]);
        fixed.round(below[r * d + i], roundedBelow[r * d + i]);
      }
      takesB[r] = fixed.dot(below, r * d, c, 0, d);
      for (let s = 0; s <= r; s++) takes[packedSize(r) + s] = fixed.dot(below, s * d, scaled, 0, d);
    }
  }
}

function zeros(length: number): bigint[] {
  return new Array<bigint>(length).fill(0n);
}

export function doubles(length: number): DoubleDouble[] {
  return Array.from({ length }, () => new DoubleDouble());
}
