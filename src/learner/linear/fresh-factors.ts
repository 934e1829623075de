/**
 * Ridge regressions solved afresh, which verify those in double-doubles (`wide-factors.ts`): A = λI + Σ w φ φᵀ itself and
 * b = Σ r φ are summed in fixed point, and after an update what it touched is factorised anew,
 *
 *     A = L D Lᵀ,   u = L⁻¹φ,   φᵀA⁻¹φ = Σ u_i²/D_i,   φᵀθ = Σ u_i c_i/D_i,   c = L⁻¹b.
 *
 * Neither rotations nor square roots: this shares no arithmetic with what it verifies but the scores' own sums, in
 * double-doubles. φ and the order of columns are those of `WideFactors`: arms' blocks first, then z; eliminating those leaves
 * z's own A₀ = λI + Σ z zᵀ − Σ_a B_aᵀA_a⁻¹B_a, the formula of Li et al. (2010), whose cancellation fixed point outweighs.
 */

import type { Archive } from '../../archive.js';
import type { Arithmetic } from './conditioning.js';
import { DoubleDouble } from './double-double.js';
import { FixedPoint } from './fixed-point.js';
import { ArmBlock, doubles, FreshBlock } from './fresh-block.js';
import { packedSize } from './packed.js';
import { type Solved, solvedRoot, worseOf } from './solved.js';
import { WideFactors, type WideShape } from './wide-factors.js';

/** Regressions of more digits than f64 has. */
export function wideFactors(
  shape: WideShape,
  lambda: number,
  { fresh, bounds }: Pick<Arithmetic, 'fresh' | 'bounds'>,
): WideFactors | FreshFactors {
  return fresh ? new FreshFactors(shape, lambda, bounds) : new WideFactors(shape, lambda);
}

export class FreshFactors {
  /** x, and z behind it, of what is scored or learnt; after writing to it call `load`. */
  readonly row: Float64Array;
  /** What the row's numbers lack of products that f64 rounds. */
  readonly low: Float64Array;
  private readonly fixed: FixedPoint;
  private readonly arms: ArmBlock[];
  private readonly shared: FreshBlock;
  private stale = true;
  private readonly x: DoubleDouble[];
  private readonly z: DoubleDouble[];
  private readonly u: DoubleDouble[];
  private readonly sharedU: DoubleDouble[];
  /** φᵀA⁻¹φ and φᵀθ of the arm in hand; −1: none. */
  private readonly square = new DoubleDouble();
  private readonly total = new DoubleDouble();
  private solvedArm = -1;

  /**
   * @param bounds |φ_j| and updates at most.
   */
  constructor(
    private readonly shape: WideShape,
    lambda: number,
    { largest, rows }: Arithmetic['bounds'],
  ) {
    const { arms, d, k } = shape;
    this.row = new Float64Array(d + k);
    this.low = new Float64Array(d + k);
    // Entries of A are up to n c², its pivots at least λ, and those of L and L⁻¹ up to √n c/√λ. Rounded to 2⁻ᶠ, all of it amounts
    // to a change of A by less than 2⁻¹²⁸ λ, and of scores of contexts up to c by less than double-doubles make.
    const spread = Math.log2(1 + largest) + Math.max(0, -Math.log2(lambda));
    const fixed = new FixedPoint(Math.ceil(160 + 3 * spread + 2 * Math.log2((rows + 2) * (d + k))));
    this.fixed = fixed;
    this.arms = Array.from({ length: arms }, () => new ArmBlock(fixed, d, k, lambda));
    this.shared = new FreshBlock(fixed, k, lambda);
    [this.x, this.u] = [doubles(d), doubles(d)];
    [this.z, this.sharedU] = [doubles(k), doubles(k)];
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
    this.add(arm, this.fixed.one, this.fixed.of(payoff));
  }

  /** A ← A + w φ φᵀ, then θ ← θ + A⁻¹φ · residual, that is b ← b + φ (w φᵀθ + residual). @param weight w ≥ 0 */
  step(arm: number, weight: number, residual: number): void {
    const { fixed, total } = this;
    this.solve(arm);
    const w = fixed.of(weight);
    this.add(arm, w, fixed.times(w, fixed.of(total.hi) + fixed.of(total.lo)) + fixed.of(residual));
  }

  private add(arm: number, weight: bigint, right: bigint): void {
    const { fixed, shape, row, low, shared } = this;
    const { d, k } = shape;
    const phi = Array.from(row, (x, j) => fixed.of(x) + fixed.of(low[j]));
    const own = this.arms[arm];
    for (let i = 0; i < d + k; i++) {
      if (phi[i] === 0n) continue;
      const [block, first] = i < d ? [own, 0] : [shared, d];
      const r = i - first;
      const weighted = fixed.times(weight, phi[i]);
      block.b[r] += fixed.times(right, phi[i]);
      for (let j = 0; j <= r; j++) block.matrix[packedSize(r) + j] += fixed.times(weighted, phi[first + j]);
      if (block === shared) for (let j = 0; j < d; j++) own.cross[r * d + j] += fixed.times(weighted, phi[j]);
    }
    own.stale = true;
    this.stale = true;
    this.solvedArm = -1;
  }

  private solve(arm: number): void {
    if (this.solvedArm === arm) return;
    this.refresh();
    this.solvedArm = arm;
    const { row, low, x, z, u, sharedU, shape, shared, square, total } = this;
    const { d, k } = shape;
    const own = this.arms[arm];
    square.set(0);
    total.set(0);
    for (let j = 0; j < d; j++) x[j].set(row[j], low[j]);
    own.forward(x, u, square, total);
    for (let r = 0; r < k; r++) {
      z[r].set(row[d + r], low[d + r]);
      for (let j = 0; j < d; j++) {
        const { hi, lo } = own.roundedBelow[r * d + j];
        z[r].addProduct(-hi, -lo, u[j].hi, u[j].lo);
      }
    }
    shared.forward(z, sharedU, square, total);
  }

  private refresh(): void {
    if (!this.stale) return;
    this.stale = false;
    for (const own of this.arms) own.refresh();
    const right = this.shared.b.map((entry, i) => this.arms.reduce((rest, { takesB }) => rest - takesB[i], entry));
    this.shared.solve(this.left(), right);
  }

  /** A₀, packed. */
  private left(): bigint[] {
    return this.shared.matrix.map((entry, i) => this.arms.reduce((rest, { takes }) => rest - takes[i], entry));
  }

  /** θ of each arm, [K, d], and β, [k]: L⁻ᵀ D⁻¹ c. */
  coefficients(): { theta: Float64Array; beta: Float64Array } {
    this.refresh();
    const { arms, shared, shape, fixed } = this;
    const { d } = shape;
    const means = ({ c, pivots }: FreshBlock): bigint[] => c.map((entry, i) => fixed.over(entry, pivots[i]));
    const beta = shared.backward(means(shared));
    const theta = arms.flatMap((own) =>
      own.backward(
        means(own).map((mean, i) =>
          beta.reduce((rest, value, r) => rest - fixed.times(own.below[r * d + i], value), mean),
        ),
      ),
    );
    const numbers = (values: readonly bigint[]): Float64Array => Float64Array.from(values, (v) => fixed.number(v));
    return { theta: numbers(theta), beta: numbers(beta) };
  }

  solved(): Solved {
    const { fixed, shape } = this;
    const { theta, beta } = this.coefficients();
    const { d, k } = shape;
    const of = (matrix: readonly bigint[], y: Float64Array): Solved => {
      const { lower, pivots } = fixed.factor(matrix, y.length);
      const entries = Float64Array.from(lower, (entry) => fixed.number(entry));
      for (let i = 0, at = 0; i < y.length; i++)
        for (let j = 0; j <= i; j++) entries[at++] *= Math.sqrt(fixed.number(pivots[j]));
      return solvedRoot({ entries, of: 'matrix' }, y, null);
    };
    const each = this.arms.map(({ matrix }, a) => of(matrix, theta.subarray(a * d, (a + 1) * d)));
    return [...each, ...(k === 0 ? [] : [of(this.left(), beta)])].reduce(worseOf);
  }

  carry(archive: Archive): void {
    for (const own of this.arms) {
      for (const list of [own.matrix, own.b, own.cross]) carryIntegers(archive, list);
      own.stale = true;
    }
    carryIntegers(archive, this.shared.matrix);
    carryIntegers(archive, this.shared.b);
    this.stale = true;
    this.solvedArm = -1;
  }
}

function carryIntegers(archive: Archive, list: bigint[]): void {
  const text = archive.text(list.join());
  if (!archive.reading || list.length === 0) return;
  text.split(',').forEach((digits, i) => {
    list[i] = BigInt(digits);
  });
}
