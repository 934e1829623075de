/** Kernel of `thompson`: host side of shaders/learner/thompson.wgsl. */

import type { ThompsonParameters } from '../../learner/means/thompson.js';
import { replayKernel } from './kernels.js';
import type { MakeKernel } from './learner-kernel.js';
import { floatWord, pairWords } from './words.js';

const thompsonShader = replayKernel('learner/thompson.wgsl', 'array<u32>', 'array<u32>', [
  'lib/normal.wgsl',
  'lib/gamma.wgsl',
]);

/** Largest 1/shape in the shader; a shape below decides by U^(1/shape) alone. */
const MOST_INVERSE = 1e30;
/** Of a workgroup. */
const MOST_LANES = 256;

export const thompsonKernel: MakeKernel = (parameters, log, frozen) => {
  const { a, b, tieTolerance } = parameters as ThompsonParameters;
  const arms = log.arms.ids.length;
  const counts = 2 * arms;
  const copies = frozen ? 2 : 1;
  return {
    key: 'thompson',
    shader: thompsonShader,
    constants: {},
    features: 'none',
    slots: 1,
    stateless: false,
    bulk: true,
    // Not of f32: it hands survivors of a first look to all lanes.
    doubts: true,
    memory: () => ({
      // Rivals (RIVALS of the shader, for as many lanes as there can be), and what all lanes share.
      fixed: 4 * Math.min(arms, Math.ceil(1.5 * Math.sqrt(Math.max(arms, MOST_LANES)))) + 16,
      perLane: 24,
      held: 16 * arms + (frozen ? 0 : 4 * counts),
      scoresPerLane: 0,
    }),
    local: false,
    stateWords: counts * copies + 4 * arms,
    parameters: [
      ...pairWords(a),
      ...pairWords(b),
      floatWord(tieTolerance),
      floatWord(Math.min(MOST_INVERSE, 1 / a)),
      floatWord(Math.min(MOST_INVERSE, 1 / b)),
    ],
    // No ones, no zeros; models are made from them.
    fill() {},
    describe(state) {
      const learnt = state.subarray((copies - 1) * counts, copies * counts);
      const every = (first: number): number[] => Array.from({ length: arms }, (_, arm) => learnt[2 * arm + first]);
      return { ones: every(0), zeros: every(1) };
    },
  };
};
