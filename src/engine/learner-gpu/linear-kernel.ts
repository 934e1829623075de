/** Kernels of the learners with a ridge regression per arm: host side of shaders/learner/linear.wgsl. */

import { basePayoff, stepSize } from '../../estimate/sums/payoff-scale.js';
import { type CempParameters, stepNumerics } from '../../learner/linear/cemp.js';
import { armArithmetic } from '../../learner/linear/conditioning.js';
import type { LinThompsonParameters } from '../../learner/linear/lin-thompson.js';
import { rows } from '../../learner/linear/linear-model.js';
import type { LinucbParameters } from '../../learner/linear/linucb.js';
import { packedSize } from '../../learner/linear/packed.js';
import { regressionNumerics, type Solved, solvedRoot, worseOf } from '../../learner/linear/solved.js';
import type { EventLog } from '../../log/event-log.js';
import { armLayout, isShort } from './arm-layout.js';
import { contextsAreSingle } from './chunk.js';
import { replayKernel, SCORED_ARMS } from './kernels.js';
import type { LearnerKernel, MakeKernel } from './learner-kernel.js';
import { LEARNERS, linearScores } from './linear-scores.js';
import { floatsOf, floatWord, pairWords } from './words.js';

const linearShader = replayKernel(
  'learner/linear.wgsl',
  'array<vec4f>',
  'array<vec4f>',
  ['lib/normal.wgsl', ...SCORED_ARMS, 'lib/held-arms.wgsl', 'lib/rivals.wgsl'],
  linearScores,
);

/** Updates counted by the first of two numbers. */
const COUNT_LIMB = 2 ** 20;

interface LinearShape {
  readonly width: number;
  readonly lambda: number;
  readonly tieTolerance: number;
  readonly offset?: number;
}

function linearKernel(
  name: keyof typeof LEARNERS,
  log: EventLog,
  frozen: boolean,
  { width, lambda, tieTolerance, offset = 0 }: LinearShape,
): LearnerKernel | null {
  // Pairs would lose digits that decisions need.
  const arithmetic = armArithmetic(log, lambda);
  if (!arithmetic.paired) return null;
  const arms = log.arms.ids.length;
  const d = log.contexts.dimension;
  const layout = armLayout(d);
  const copy = arms * layout.stride + 4;
  const copies = frozen ? 2 : 1;
  const { scale } = log.payoff;
  /** The state that learns. */
  const learntOf = (state: Uint32Array): Float32Array => floatsOf(state.subarray((copies - 1) * copy, copies * copy));
  const updatesOf = (learnt: Float32Array): number[] =>
    Array.from({ length: arms }, (_, arm) => {
      const at = arm * layout.stride + 2 * layout.size;
      return learnt[at] + learnt[at + 1] * COUNT_LIMB;
    });
  /** θ of an arm, [d], into `theta`. */
  const readTheta = (learnt: Float32Array, arm: number, theta: Float64Array): Float64Array => {
    const home = arm * layout.stride + layout.theta;
    for (let j = 0; j < d; j++) theta[j] = learnt[home + j] + learnt[home + layout.size + j];
    return theta;
  };
  return {
    key: name,
    shader: linearShader,
    constants: { LEARNER: LEARNERS[name], DIMENSION: d, PAIRED: !contextsAreSingle(log) },
    features: 'contexts',
    slots: 4,
    stateless: false,
    bulk: false,
    doubts: true,
    memory: (room) => ({
      fixed: 8 * (4 * d + 4) + 8 * Math.ceil(arms / 32),
      perLane: 16,
      held: isShort(d) ? room * layout.size * (frozen ? 4 : 8) : Number.POSITIVE_INFINITY,
      scoresPerLane: room * 16,
    }),
    local: true,
    stateWords: copy * copies,
    parameters: [
      ...pairWords(width),
      floatWord(tieTolerance),
      ...pairWords(basePayoff(scale)),
      ...pairWords(stepSize(scale)),
      ...pairWords(offset),
      floatWord(1 / Math.sqrt(lambda)),
    ],
    fill(state) {
      const [high, low] = pairWords(1 / Math.sqrt(lambda));
      for (let c = 0; c < copies; c++) {
        for (let arm = 0; arm < arms; arm++) {
          const home = c * copy + arm * layout.stride;
          for (let i = 0; i < d; i++) {
            state[home + layout.place(i, i)] = high;
            state[home + layout.size + layout.place(i, i)] = low;
          }
        }
      }
    },
    describe(state) {
      const learnt = learntOf(state);
      const theta = new Float64Array(arms * d);
      for (let arm = 0; arm < arms; arm++) readTheta(learnt, arm, theta.subarray(arm * d, (arm + 1) * d));
      return { ...(name === 'cemp' ? { offset } : {}), updates: updatesOf(learnt), theta: rows(theta, d) };
    },
    numerics(state, b) {
      const learnt = learntOf(state);
      const updates = updatesOf(learnt);
      if (name === 'cemp') {
        const [, farthest, low, high] = learnt.subarray(arms * layout.stride);
        return stepNumerics(
          { steps: updates.reduce((a, n) => a + n), overshot: low + high * COUNT_LIMB, farthest },
          log,
        );
      }
      const theta = new Float64Array(d);
      const entries = new Float64Array(packedSize(d));
      let worst: Solved = { condition: 1, residual: b === null ? null : 0 };
      for (let arm = 0; arm < arms; arm++) {
        if (updates[arm] === 0) continue;
        const home = arm * layout.stride;
        for (let i = 0, at = 0; i < d; i++) {
          for (let j = 0; j <= i; j++, at++) {
            const place = home + layout.place(i, j);
            entries[at] = learnt[place] + learnt[place + layout.size];
          }
        }
        const right = b?.subarray(arm * d, (arm + 1) * d) ?? null;
        worst = worseOf(worst, solvedRoot({ entries, of: 'inverse' }, readTheta(learnt, arm, theta), right));
      }
      return regressionNumerics(worst, arithmetic);
    },
  };
}

export const linucbKernel: MakeKernel = (parameters, log, frozen) => {
  const { alpha, ...rest } = parameters as LinucbParameters;
  return linearKernel('linucb', log, frozen, { width: alpha, ...rest });
};

export const linThompsonKernel: MakeKernel = (parameters, log, frozen) => {
  const { v, ...rest } = parameters as LinThompsonParameters;
  return linearKernel('lin-thompson', log, frozen, { width: v, ...rest });
};

export const cempKernel: MakeKernel = (parameters, log, frozen) => {
  const { prior, ...rest } = parameters as CempParameters;
  return linearKernel('cemp', log, frozen, { width: 0, offset: Math.log(prior / (1 - prior)), ...rest });
};
