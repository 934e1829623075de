/**
 * θᵀx and ‖R x‖² for short contexts, written out: compilers leave triangular loops as loops, and then state and contexts
 * are fetched by computed addresses, which costs a software adapter ten times the arithmetic.
 */

import type { KernelConstants } from '../../gpu/kernel.js';
import { armLayout, isShort } from './arm-layout.js';

/** `LEARNER` of shaders/learner/linear.wgsl. */
export const LEARNERS = { linucb: 0, 'lin-thompson': 1, cemp: 2 } as const;

/** `shortParts(i, home)` and `skips(i)` of shaders/learner/linear.wgsl, which declares `x`, `upperQuad` and `laneArms`. */
export function linearScores(constants: KernelConstants): string {
  return `${shortParts(constants)}\n${skips(constants)}`;
}

/** Lanes that share loads must go through the same arms, as far as a compiler can see. */
function skips({ MIXED, SHARED_LOADS }: KernelConstants): string {
  const arm = '((laneArms[i >> 5u] >> (i & 31u)) & 1u) == 0u';
  return `fn skips(i: u32) -> bool { return ${MIXED === true && Number(SHARED_LOADS) === 0 ? arm : 'false'}; }`;
}

function shortParts({ DIMENSION, LEARNER, SHARED_LOADS }: KernelConstants): string {
  const d = Number(DIMENSION);
  if (!isShort(d)) return 'fn shortParts(i: u32, home: u32) -> Parts { return Parts(vec4f(0.0), vec4f(0.0)); }';
  const { theta, place } = armLayout(d);
  const rows = LEARNER === LEARNERS.cemp ? 0 : d;
  const subgroup = Number(SHARED_LOADS);
  const product = (places: readonly number[]): string =>
    places.map((p, j) => `q${p >> 2}.${'xyzw'[p & 3]} * x[${j}]`).join(' + ');
  const quads = new Set<number>();
  const used = (places: readonly number[]): readonly number[] => {
    for (const p of places) quads.add(p >> 2);
    return places;
  };
  const mean = product(used(Array.from({ length: d }, (_, j) => theta + j)));
  const squares = Array.from({ length: rows }, (_, i) => {
    const y = product(used(Array.from({ length: i + 1 }, (_, j) => place(i, j))));
    return `  let y${i} = ${y};\n  variance += y${i} * y${i};`;
  });
  return [
    'fn shortParts(i: u32, home: u32) -> Parts {',
    ...loads(
      [...quads].sort((a, b) => a - b),
      subgroup,
    ),
    '  var variance = vec4f(0.0);',
    ...squares,
    `  return Parts(${mean}, variance);`,
    '}',
  ].join('\n');
}

/**
 * Each lane loads all quads; or, where `subgroup` lanes share loads, one in so many, and hands it to the others: a software
 * adapter pays a load per lane even where all lanes load the same.
 */
function loads(quads: readonly number[], subgroup: number): string[] {
  if (subgroup === 0) return quads.map((q) => `  let q${q} = upperQuad(i, home, ${q}u);`);
  const rounds = Math.ceil(quads.length / subgroup);
  const first = quads[0];
  const last = quads[quads.length - 1];
  return [
    ...Array.from(
      { length: rounds },
      (_, r) => `  let r${r} = upperQuad(i, home, min(${first + r * subgroup}u + subgroupLane, ${last}u));`,
    ),
    ...quads.map((q, i) => `  let q${q} = subgroupBroadcast(r${Math.floor(i / subgroup)}, ${i % subgroup}u);`),
  ];
}
