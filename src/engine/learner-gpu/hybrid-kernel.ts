/** Kernel of linucb-hybrid: host side of shaders/learner/hybrid.wgsl, which says what the factors are. */

import { basePayoff, stepSize } from '../../estimate/sums/payoff-scale.js';
import { hybridArithmetic } from '../../learner/linear/conditioning.js';
import { rows } from '../../learner/linear/linear-model.js';
import type { LinucbHybridParameters } from '../../learner/linear/linucb-hybrid.js';
import { packedSize } from '../../learner/linear/packed.js';
import { regressionNumerics, type Solved, solvedRoot, worseOf } from '../../learner/linear/solved.js';
import type { EventLog } from '../../log/event-log.js';
import { armLayout } from './arm-layout.js';
import { contextsAreSingle } from './chunk.js';
import { replayKernel, SCORED_ARMS } from './kernels.js';
import type { MakeKernel } from './learner-kernel.js';
import { floatsOf, floatWord, pairWords } from './words.js';

const hybridShader = replayKernel('learner/hybrid.wgsl', 'array<vec4f>', 'array<vec4f>', SCORED_ARMS);

/** Longest e that is held in registers. */
const SHORT = 16;
/** Updates counted by the first of two numbers. */
const COUNT_LIMB = 2 ** 20;
/** Vectors as long as z that an update takes. */
const SCRATCH = 5;

/** Where things lie in the state of a replica. */
interface Layout {
  /** F and t of an arm: as R and θ of linear.wgsl, of order m. R has the same places. */
  readonly arm: ReturnType<typeof armLayout>;
  /** Words of F and t of all arms, and how often they are there. */
  readonly copy: number;
  readonly copies: number;
  /** Places of pairs behind the copies: how many the upper parts of R are; features of an arm; all that it takes. */
  readonly rSize: number;
  readonly features: number;
  readonly aux: number;
  /** Of R₀ and β. */
  readonly factor: number;
  readonly beta: number;
  /** Words in all. */
  readonly words: number;
}

interface Shape {
  readonly arms: number;
  readonly d: number;
  /** Lengths of e and z. */
  readonly m: number;
  readonly k: number;
  /** Features of an arm. */
  readonly width: number;
  readonly product: boolean;
}

function shapeOf(log: EventLog, product: boolean): Shape {
  const d = log.contexts.dimension;
  const width = log.armFeatures?.dimension ?? 0;
  return { arms: log.arms.ids.length, d, m: product ? d : d + 1, k: product ? width * d : width, width, product };
}

function layoutOf({ arms, d, m, k, width, product }: Shape, copies: number): Layout {
  const arm = armLayout(m);
  const copy = arms * arm.stride + 4;
  const blocks = Math.ceil(d / 8);
  const rSize = m > SHORT ? 32 * blocks * (blocks - 1) + 8 * d : packedSize(d);
  const features = rSize + (product ? 0 : d);
  const aux = features + width + (m > SHORT ? 2 * m : 0);
  const factor = arms * aux;
  const beta = factor + packedSize(k);
  const words = copies * copy + 2 * (beta + (1 + SCRATCH) * k);
  return { arm, copy, copies, rSize, features, aux, factor, beta, words: Math.ceil(words / 4) * 4 };
}

export const linucbHybridKernel: MakeKernel = (parameters, log, frozen) => {
  // The kernel holds a row of features per arm.
  if ((log.armFeatures?.row ?? null) !== null) return null;
  const { alpha, lambda, shared, tieTolerance } = parameters as LinucbHybridParameters;
  // Pairs would lose digits that decisions need.
  const arithmetic = hybridArithmetic(log, lambda, shared === 'product');
  if (!arithmetic.paired) return null;
  const shape = shapeOf(log, shared === 'product');
  const layout = layoutOf(shape, frozen ? 2 : 1);
  const { arms, d, m } = shape;
  const features = Array.from({ length: arms }, (_, a) => featuresOf(log, a));
  const kinds = kindsOf(features);
  const { scale } = log.payoff;
  return {
    key: `linucb-hybrid ${shared}`,
    shader: hybridShader,
    constants: {
      DIMENSION: d,
      PRODUCT: shape.product,
      ARM_FEATURES: shape.width,
      ALIKE: kinds.some((kind, arm) => kind < arm),
      PAIRED: !contextsAreSingle(log),
    },
    features: 'contexts',
    slots: 1,
    stateless: false,
    bulk: false,
    doubts: true,
    memory: () => ({
      fixed: 8 * (2 * d + 2 * m + 6) + 8 * Math.ceil(arms / 32),
      perLane: 16,
      held: m <= SHORT ? arms * layout.arm.size * 4 : Number.POSITIVE_INFINITY,
      scoresPerLane: null,
    }),
    local: false,
    stateWords: layout.words,
    parameters: [
      ...pairWords(alpha),
      floatWord(tieTolerance),
      ...pairWords(basePayoff(scale)),
      ...pairWords(stepSize(scale)),
      ...pairWords(lambda),
      floatWord(Math.max(...features.map((f) => Math.max(...diagonal(shape, f, lambda))))),
    ],
    fill: (state) => fill(state, shape, layout, { lambda, features, kinds }),
    describe(state) {
      const { updates, beta, theta } = read(state, shape, layout, features);
      return { updates, beta, theta: rows(theta, d) };
    },
    numerics: (state, b) =>
      regressionNumerics(solved(state, shape, layout, { lambda, features, kinds }, b), arithmetic),
  };
};

function featuresOf({ armFeatures }: EventLog, arm: number): Float64Array {
  if (armFeatures === null) return new Float64Array(0);
  const { values, dimension } = armFeatures;
  return values.slice(arm * dimension, (arm + 1) * dimension);
}

/** First arm with the same features. */
function kindsOf(features: readonly Float64Array[]): number[] {
  const first = new Map<string, number>();
  return features.map((row, arm) => {
    // −0 and 0 print alike.
    const text = row.join();
    const kind = first.get(text) ?? arm;
    first.set(text, kind);
    return kind;
  });
}

/** The prior's F, diagonal as Q = (Z_aᵀZ_a + I_d)/λ is. */
function diagonal({ d, m, product }: Shape, features: Float64Array, lambda: number): number[] {
  const square = features.reduce((sum, f) => sum + f * f, 0);
  return Array.from({ length: m }, (_, i) => Math.sqrt((product ? square + 1 : i < d ? 1 : square) / lambda));
}

interface Prior {
  readonly lambda: number;
  readonly features: readonly Float64Array[];
  readonly kinds: readonly number[];
}

function fill(
  state: Uint32Array,
  shape: Shape,
  { arm, copy, copies, rSize, features: at, aux, factor }: Layout,
  { lambda, features, kinds }: Prior,
): void {
  const { arms, d, k } = shape;
  const put = (place: number, x: number): void => state.set(pairWords(x), copies * copy + 2 * place);
  for (let a = 0; a < arms; a++) {
    diagonal(shape, features[a], lambda).forEach((x, i) => {
      const [high, low] = pairWords(x);
      for (let c = 0; c < copies; c++) {
        const place = c * copy + a * arm.stride + arm.place(i, i);
        state[place] = high;
        state[place + arm.size] = low;
      }
    });
    for (let c = 0; c < copies; c++) state[c * copy + a * arm.stride + 2 * arm.size + 2] = floatWord(kinds[a]);
    for (let i = 0; i < d; i++) {
      const place = copies * copy + 2 * a * aux + arm.place(i, i);
      [state[place], state[place + rSize]] = pairWords(1 / Math.sqrt(lambda));
    }
    features[a].forEach((x, i) => {
      put(a * aux + at + i, x);
    });
  }
  for (let i = 0; i < k; i++) put(factor + packedSize(i) + i, 1 / Math.sqrt(lambda));
}

/** θ̂_a, [K, d], are the first d of t_a − Z_aᵀβ̂. */
function read(
  state: Uint32Array,
  { arms, d, k, product }: Shape,
  { arm, copy, copies, beta: at }: Layout,
  features: readonly Float64Array[],
): { updates: number[]; beta: number[]; theta: Float64Array } {
  const learnt = floatsOf(state.subarray((copies - 1) * copy));
  const beta = Array.from({ length: k }, (_, j) => learnt[copy + 2 * (at + j)] + learnt[copy + 2 * (at + j) + 1]);
  const homes = Array.from({ length: arms }, (_, a) => a * arm.stride);
  const theta = homes.flatMap((home, a) =>
    Array.from({ length: d }, (_, j) => {
      const place = home + arm.theta + j;
      const total = learnt[place] + learnt[place + arm.size];
      return product ? features[a].reduce((rest, f, i) => rest - f * beta[i * d + j], total) : total;
    }),
  );
  const updates = homes.map((home) => {
    const place = home + 2 * arm.size;
    return learnt[place] + learnt[place + 1] * COUNT_LIMB;
  });
  return { updates, beta, theta: Float64Array.from(theta) };
}

/**
 * As `HybridState.solved`. A_aη_a = b_a, where η_a = θ̂_a + C_aβ̂, C_a = A_a⁻¹B_a, and B_a = (A_a − λI) Z_aᵀ (PRODUCT), else
 * −A_a g_a f_aᵀ: so A_a(θ̂_a + Z_aᵀβ̂) = b_a + λ Z_aᵀβ̂, and A_a(θ̂_a − g_a f_aᵀβ̂) = b_a.
 */
function solved(
  state: Uint32Array,
  shape: Shape,
  layout: Layout,
  { lambda, features }: Prior,
  b: Float64Array | null,
): Solved {
  const { arms, d, k, product } = shape;
  const { arm, copy, copies, rSize, aux, factor } = layout;
  const { beta, theta } = read(state, shape, layout, features);
  const rest = floatsOf(state.subarray(copies * copy));
  const pair = (place: number): number => rest[2 * place] + rest[2 * place + 1];
  const shared = Float64Array.from({ length: packedSize(k) }, (_, i) => pair(factor + i));
  let worst = solvedRoot({ entries: shared, of: 'inverse' }, Float64Array.from(beta), null);
  for (let a = 0; a < arms; a++) {
    const entries = new Float64Array(packedSize(d));
    for (let i = 0, at = 0; i < d; i++)
      for (let j = 0; j <= i; j++) {
        const place = 2 * a * aux + arm.place(i, j);
        entries[at++] = rest[place] + rest[place + rSize];
      }
    const ofFeatures = (j: number): number =>
      features[a].reduce((sum, f, i) => sum + f * (product ? beta[i * d + j] : beta[i]), 0);
    let size = 0;
    const own = Float64Array.from({ length: d }, (_, j) => {
      const share = ofFeatures(j) * (product ? 1 : -pair(a * aux + rSize + j));
      size = Math.max(size, Math.abs(theta[a * d + j]), Math.abs(share));
      return theta[a * d + j] + share;
    });
    const right = b?.slice(a * d, (a + 1) * d) ?? null;
    if (product && right !== null) for (let j = 0; j < d; j++) right[j] += lambda * ofFeatures(j);
    worst = worseOf(worst, solvedRoot({ entries, of: 'inverse' }, own, right, size));
  }
  return worst;
}
