/** The kernels of the GPU engine, declared once. Meaning of each binding: the kernel's own file below shaders/. */

import type { ColumnKind } from '../../estimate/sums/summands.js';
import { defineKernel } from '../../gpu/kernel.js';

/** Cells per workgroup of the linear kernel: 64 lanes × 4 · HALVES. Two halves share every load of a weight. */
export const HALF_TILE = 256;
/** Policies per workgroup of the match kernel. */
export const MATCH_POLICIES = 4;
export const LANES = 64;

export const linearKernel = defineKernel({
  source: 'policy/linear.wgsl',
  params: {
    dimension: 'u32',
    arms: 'u32',
    firstPolicy: 'u32',
    policies: 'u32',
    policiesPerGroup: 'u32',
    tiles: 'u32',
    choiceStride: 'u32',
    tileTable: 'u32',
    armLists: 'u32',
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
    choices: { type: 'array<u32>', write: true },
    doubtful: { type: 'Doubtful', write: true },
  },
});

export const uniformKernel = defineKernel({
  source: 'policy/uniform.wgsl',
  libraries: ['lib/threefry.wgsl'],
  params: {
    seed: 'u32',
    stream: 'u32',
    policies: 'u32',
    slots: 'u32',
    choiceStride: 'u32',
    poolOffsets: 'u32',
    poolArms: 'u32',
  },
  bindings: {
    index: { type: 'array<u32>', write: false },
    replicas: { type: 'array<u32>', write: false },
    choices: { type: 'array<u32>', write: true },
  },
});

export const matchKernel = defineKernel({
  source: 'match.wgsl',
  params: { policies: 'u32', choiceStride: 'u32', segments: 'u32' },
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
