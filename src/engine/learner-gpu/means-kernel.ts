/** Kernels of the learners without contexts: host side of shaders/learner/means.wgsl. */

import { basePayoff, stepSize } from '../../estimate/sums/payoff-scale.js';
import { threshold } from '../../learner/draws.js';
import { decaySteps, type EpsilonGreedyParameters, epsilonAt } from '../../learner/means/epsilon-greedy.js';
import { Means } from '../../learner/means/means.js';
import { type Prior, priorSteps } from '../../learner/means/prior.js';
import { segmentColumn } from '../../learner/means/segments.js';
import type { SempParameters } from '../../learner/means/semp.js';
import type { UcbParameters } from '../../learner/means/ucb.js';
import type { EventLog } from '../../log/event-log.js';
import { replayKernel } from './kernels.js';
import type { LearnerKernel, MakeKernel } from './learner-kernel.js';
import { floatWord, pairWords, wideWords } from './words.js';

const meansShader = replayKernel('learner/means.wgsl', 'array<u32>', 'array<u32>', ['lib/tie-rule.wgsl']);

/** `LEARNER` of the shader. */
const LEARNER = { random: 0, 'epsilon-greedy': 1, emp: 2, semp: 3, ucb: 4, ucb1: 5 } as const;

interface MeansShape {
  readonly rows: number;
  readonly prior?: Prior;
  readonly segment?: string;
  readonly decays?: boolean;
  readonly parameters: readonly number[];
  describe(means: Means, updates: number): Record<string, unknown>;
}

function meansKernel(name: keyof typeof LEARNER, log: EventLog, frozen: boolean, shape: MeansShape): LearnerKernel {
  const { rows, prior, segment, decays = false, parameters } = shape;
  const arms = log.arms.ids.length;
  const scored = name === 'ucb' || name === 'ucb1';
  const counts = 1 + rows * 3;
  const copies = frozen ? 2 : 1;
  const trials = prior?.priorTrials ?? 0;
  const steps = prior === undefined ? 0 : priorSteps(prior, log);
  return {
    key: `${name} ${rows} ${segment ?? ''} ${decays}`,
    shader: meansShader,
    constants: { LEARNER: LEARNER[name], ROWS: rows, DECAYS: decays },
    features: segment === undefined ? 'none' : { segment },
    slots: 1,
    stateless: name === 'random',
    bulk: true,
    doubts: false,
    memory: () => ({ fixed: 4, perLane: 12, held: counts * 4 + (scored ? arms * 8 : 0), scoresPerLane: 0 }),
    local: false,
    stateWords: counts * copies + (scored ? arms * 2 : 0),
    parameters,
    fill(state) {
      const [low, high] = wideWords(steps);
      for (let copy = 0; copy < copies; copy++) {
        for (let row = 0, at = copy * counts + 1; row < rows; row++, at += 3) state.set([trials, low, high], at);
      }
    },
    describe(state) {
      // What is learnt last stands in the second copy, if there are two.
      const learnt = state.subarray((copies - 1) * counts, copies * counts);
      return shape.describe(meansOf(learnt, rows), learnt[0]);
    },
  };
}

function meansOf(counts: Uint32Array, rows: number): Means {
  return Means.of(
    Float64Array.from({ length: rows }, (_, i) => counts[1 + i * 3]),
    Float64Array.from({ length: rows }, (_, i) => counts[2 + i * 3] + counts[3 + i * 3] * 4294967296),
  );
}

export const randomKernel: MakeKernel = (_, log, frozen) =>
  meansKernel('random', log, frozen, { rows: 1, parameters: [], describe: () => ({}) });

export const epsilonGreedyKernel: MakeKernel = (parameters, log, frozen) => {
  const given = parameters as EpsilonGreedyParameters;
  const { epsilon, c = 0 } = given;
  const below = threshold(epsilon ?? 0);
  return meansKernel('epsilon-greedy', log, frozen, {
    rows: log.arms.ids.length,
    decays: epsilon === undefined,
    parameters: [below % 4294967296, below >= 4294967296 ? 1 : 0, ...wideWords(decaySteps(c))],
    describe: (means, updates) => ({
      updates,
      epsilon: epsilonAt(given, updates),
      ...means.describe(log.payoff.scale),
    }),
  });
};

export const empKernel: MakeKernel = (parameters, log, frozen) =>
  meansKernel('emp', log, frozen, {
    rows: log.arms.ids.length,
    prior: parameters as Prior,
    parameters: [],
    describe: (means) => means.describe(log.payoff.scale),
  });

export const sempKernel: MakeKernel = (parameters, log, frozen) => {
  const prior = parameters as SempParameters;
  const { levels } = segmentColumn(log, prior.segment, 'semp', 'segment');
  const arms = log.arms.ids.length;
  return meansKernel('semp', log, frozen, {
    rows: levels.length * arms,
    prior,
    segment: prior.segment,
    parameters: [],
    describe: (means) => ({
      segments: levels.map((segment, s) => ({
        segment,
        ...means.describe(log.payoff.scale, s * arms, (s + 1) * arms),
      })),
    }),
  });
};

const ucbKernelOf =
  (name: 'ucb' | 'ucb1'): MakeKernel =>
  (parameters, log, frozen) => {
    const { alpha, tieTolerance } = parameters as UcbParameters;
    const { scale } = log.payoff;
    return meansKernel(name, log, frozen, {
      rows: log.arms.ids.length,
      parameters: [
        ...pairWords(alpha),
        floatWord(tieTolerance),
        ...pairWords(basePayoff(scale)),
        ...pairWords(stepSize(scale)),
      ],
      describe: (means, updates) => ({ updates, ...means.describe(scale) }),
    });
  };

export const ucbKernel = ucbKernelOf('ucb');
export const ucb1Kernel = ucbKernelOf('ucb1');
