/** The kernels of the GPU engine, declared once. Meaning of each binding: the kernel's own file below shaders/. */

import type { ColumnKind } from '../../estimate/sums/summands.js';
import { defineKernel } from '../../gpu/kernel.js';

/** Lanes of a workgroup. */
export const LANES = 64;
/** Policies per workgroup of the match kernel. */
export const MATCH_POLICIES = 4;
/** Most policies of a workgroup that decides: so many share what it reads of events. */
export const GROUP = 16;
/** Most vec4s of weights in workgroup memory. */
export const STAGE = 640;

/** The power of two from `size` on: drivers take long to compile workgroup memory, so that a kernel has as little as will do, of few sizes. */
export const powerOfTwo = (size: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, size)));

/** What scores take: shaders/lib/scores.wgsl. */
const SCORES = {
  params: {
    rows: 'u32',
    quads: 'u32',
    firstPolicy: 'u32',
    policies: 'u32',
    group: 'u32',
    tileTable: 'u32',
    lists: 'u32',
    cellPools: 'u32',
    poolBits: 'u32',
    poolWords: 'u32',
    doubtfulCapacity: 'u32',
    subnormalSlack: 'f32',
  },
  bindings: {
    contexts: { type: 'array<vec4f>', write: false },
    weights: { type: 'array<vec4f>', write: false },
    index: { type: 'array<u32>', write: false },
    doubtful: { type: 'Doubtful', write: true },
  },
} as const;

/** What matching events takes: shaders/lib/matches.wgsl. */
const MATCHES = {
  params: { segments: 'u32', lanes: 'u32' },
  bindings: { columns: { type: 'array<vec4u>', write: false }, sums: { type: 'array<u32>', write: true } },
} as const;

export const linearKernel = defineKernel({
  source: 'policy/linear.wgsl',
  libraries: ['lib/scores.wgsl'],
  params: { ...SCORES.params, tiles: 'u32', choiceStride: 'u32' },
  bindings: { ...SCORES.bindings, choices: { type: 'array<u32>', write: true } },
});

export const loggedKernel = defineKernel({
  source: 'policy/logged.wgsl',
  libraries: ['lib/matches.wgsl', 'lib/scores.wgsl'],
  params: { ...SCORES.params, ...MATCHES.params, rowOfSlot: 'u32' },
  bindings: { ...SCORES.bindings, ...MATCHES.bindings },
});

export const uniformKernel = defineKernel({
  source: 'policy/uniform.wgsl',
  libraries: ['lib/matches.wgsl', 'lib/threefry.wgsl'],
  params: { ...MATCHES.params, policies: 'u32', group: 'u32', seed: 'u32', stream: 'u32' },
  bindings: {
    ...MATCHES.bindings,
    index: { type: 'array<u32>', write: false },
    events: { type: 'array<vec4u>', write: false },
    arms: { type: 'array<u32>', write: false },
    replicas: { type: 'array<u32>', write: false },
  },
});

export const matchKernel = defineKernel({
  source: 'match.wgsl',
  params: { policies: 'u32', choiceStride: 'u32', segments: 'u32', firstRow: 'u32' },
  bindings: {
    choices: { type: 'array<u32>', write: false },
    entries: { type: 'array<u32>', write: false },
    segments: { type: 'array<u32>', write: false },
    sums: { type: 'array<u32>', write: true },
  },
});

export const drawsKernel = defineKernel({
  source: 'draws.wgsl',
  params: { draws: 'u32', rows: 'u32', words: 'u32', tileRows: 'u32' },
  bindings: {
    multipliers: { type: 'array<u32>', write: false },
    influences: { type: 'array<u32>', write: false },
    scales: { type: 'array<u32>', write: false },
    maxima: { type: 'array<u32>', write: true },
  },
});

/** Columns that the match kernel may be told of as maxima: the bits of a word. */
const MOST_MAXIMA = 32;

/** The match kernel's constants for match columns: how many, and bit c where column c is a maximum. */
export function columnConstants(kinds: readonly ColumnKind[]): { COLUMNS: number; MAXIMA: number } {
  if (kinds.slice(MOST_MAXIMA).some(({ reduce }) => reduce === 'max'))
    throw new RangeError(`maxima must be among the first ${MOST_MAXIMA} columns`);
  return {
    COLUMNS: kinds.length,
    MAXIMA: kinds.reduce((bits, { reduce }, c) => bits + (reduce === 'max' ? 2 ** c : 0), 0),
  };
}
