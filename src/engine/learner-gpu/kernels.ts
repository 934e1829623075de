/** What kernels of the GPU engine for learners have in common. Meaning of each binding: shaders/learner/replay.wgsl. */

import { defineKernel, type KernelConstants, type ShaderFile } from '../../gpu/kernel.js';

/** Words of `progress` of a replica, by name; the retained events lie behind those of all replicas. */
export const PROGRESS = {
  matches: 1,
  retained: 2,
  windows: 3,
  finished: 5,
  settled: 6,
  looks: 7,
  consumed: 8,
  chunk: 9,
  ended: 10,
} as const;
export const PROGRESS_WORDS = 12;

/** Words of `replicas`: number, row of its list, parameters. */
export const SETTING_WORDS = 24;

/** `NEVER` of the shaders: no T to stop at, no chunk yet. */
export const NEVER = 0xffffffff;

const params = {
  seed: 'u32',
  stream: 'u32',
  chunk: 'u32',
  firstEvent: 'u32',
  chunkEvents: 'u32',
  replicas: 'u32',
  capacity: 'u32',
  windows: 'u32',
  validEvents: 'u32',
  listStride: 'u32',
  arms: 'u32',
  poolTable: 'u32',
  poolWords: 'u32',
  epochTable: 'u32',
  epochs: 'u32',
  stateStride: 'u32',
  dimension: 'u32',
  lowFeatures: 'u32',
  zero: 'u32',
} as const;

type ReplayLibrary = Extract<ShaderFile, `lib/${string}`>;

/** What the learners with a factor and coefficients per arm share. */
export const SCORED_ARMS: readonly ReplayLibrary[] = ['lib/tie-rule.wgsl', 'lib/factor.wgsl', 'lib/arm-state.wgsl'];

/** A kernel of the replay loop: the loop itself, a learner's hooks, and what both take from libraries. Declared in the learner's own file. */
export function replayKernel(
  hooks: Extract<ShaderFile, `learner/${string}`>,
  features: string,
  state: string,
  more: readonly ReplayLibrary[] = [],
  generated?: (constants: KernelConstants) => string,
) {
  return defineKernel({
    source: hooks,
    libraries: ['lib/threefry.wgsl', 'lib/pair.wgsl', ...more, 'learner/replay.wgsl'],
    generated,
    subgroups: ({ SHARED_LOADS = 0 }) => Number(SHARED_LOADS) > 0,
    params,
    bindings: {
      events: { type: 'array<vec4u>', write: false },
      features: { type: features, write: false },
      lists: { type: 'array<u32>', write: false },
      tables: { type: 'array<u32>', write: false },
      replicas: { type: 'array<u32>', write: false },
      progress: { type: 'array<u32>', write: true },
      state: { type: state, write: true },
    },
  });
}

export type ReplayKernel = ReturnType<typeof replayKernel>;

export const subsampleKernel = defineKernel({
  source: 'learner/subsample.wgsl',
  libraries: ['lib/threefry.wgsl'],
  params: {
    seed: 'u32',
    stream: 'u32',
    threshold: 'u32',
    firstEvent: 'u32',
    chunkEvents: 'u32',
    rows: 'u32',
    listStride: 'u32',
  },
  bindings: {
    numbers: { type: 'array<u32>', write: false },
    lists: { type: 'array<u32>', write: true },
  },
});
