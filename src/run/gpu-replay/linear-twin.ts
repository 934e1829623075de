/** Twins of the learners with a ridge regression per arm: host side of shaders/learner/linear.wgsl. */

import { basePayoff, stepSize } from '../../estimate/payoff-scale.js';
import type { CempParameters } from '../../learner/cemp.js';
import { armArithmetic } from '../../learner/conditioning.js';
import type { LinThompsonParameters } from '../../learner/lin-thompson.js';
import { rows } from '../../learner/linear-model.js';
import type { LinucbParameters } from '../../learner/linucb.js';
import type { EventLog } from '../../log/event-log.js';
import { armLayout, isShort } from './arm-layout.js';
import { contextsAreSingle } from './chunk.js';
import { linearKernel } from './kernels.js';
import { LEARNER } from './linear-learners.js';
import type { LearnerTwin, MakeTwin } from './twin.js';
import { floatWord, pairWords, wordFloat } from './words.js';

/** Updates counted by the first of two numbers. */
const COUNT_LIMB = 2 ** 20;

interface LinearShape {
  readonly width: number;
  readonly lambda: number;
  readonly tieTolerance: number;
  readonly offset?: number;
}

function linearTwin(
  name: keyof typeof LEARNER,
  log: EventLog,
  frozen: boolean,
  { width, lambda, tieTolerance, offset = 0 }: LinearShape,
): LearnerTwin | null {
  // Pairs would lose digits that decisions need.
  if (!armArithmetic(log, lambda).paired) return null;
  const arms = log.arms.ids.length;
  const d = log.contexts.dimension;
  const layout = armLayout(d);
  const copy = arms * layout.stride + 4;
  const copies = frozen ? 2 : 1;
  const { scale } = log.payoff;
  return {
    key: name,
    kernel: linearKernel,
    constants: { LEARNER: LEARNER[name], DIMENSION: d, PAIRED: !contextsAreSingle(log) },
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
      const learnt = Float64Array.from(state.subarray((copies - 1) * copy, copies * copy), wordFloat);
      const homes = Array.from({ length: arms }, (_, arm) => arm * layout.stride);
      const theta = homes.flatMap((home) =>
        Array.from({ length: d }, (_, j) => {
          const at = home + layout.theta + j;
          return learnt[at] + learnt[at + layout.size];
        }),
      );
      const updates = homes.map((home) => {
        const at = home + 2 * layout.size;
        return learnt[at] + learnt[at + 1] * COUNT_LIMB;
      });
      return { ...(name === 'cemp' ? { offset } : {}), updates, theta: rows(Float64Array.from(theta), d) };
    },
  };
}

export const linucbTwin: MakeTwin = (parameters, log, frozen) => {
  const { alpha, ...rest } = parameters as LinucbParameters;
  return linearTwin('linucb', log, frozen, { width: alpha, ...rest });
};

export const linThompsonTwin: MakeTwin = (parameters, log, frozen) => {
  const { v, ...rest } = parameters as LinThompsonParameters;
  return linearTwin('lin-thompson', log, frozen, { width: v, ...rest });
};

export const cempTwin: MakeTwin = (parameters, log, frozen) => {
  const { prior, ...rest } = parameters as CempParameters;
  return linearTwin('cemp', log, frozen, { width: 0, offset: Math.log(prior / (1 - prior)), ...rest });
};
