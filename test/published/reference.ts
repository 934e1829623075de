/** Reference numbers and data beside the checkout (`../shared` from the project's root). Absent: an error, never a skip. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EvaluationResult } from '#dist/report/result.js';

const SHARED = resolve(fileURLToPath(new URL('../../../shared', import.meta.url)));

/** Absolute path of a shared file. */
export function sharedFile(name: string): string {
  return resolve(SHARED, name);
}

/** Text of a shared file. */
export function sharedText(name: string): string {
  const path = sharedFile(name);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(
      `the published numbers are checked against ${path}, which cannot be read; put the shared folder beside the project`,
      { cause },
    );
  }
}

/** A reference file. Python writes NaN and Infinity, which JSON has no words for, as bare words: here `null`, and a number beyond all. */
export function reference<T>(name: string): T {
  const text = sharedText(`reference/${name}`)
    .replaceAll(/(?<=[\s:[])NaN(?=[\s,\]}])/g, 'null')
    .replaceAll(/(?<=[\s:[])Infinity(?=[\s,\]}])/g, '1e999');
  return JSON.parse(text) as T;
}

/**
 * The reference's linear policies, w[a][j] = frac(sin(p·12.9898 + a·78.233 + j·37.719)·43758.5453) in f64, evaluated from
 * left to right: [policies, K, d].
 */
export function sineWeights(
  policies: number,
  arms: number,
  dimension: number,
): { data: Float64Array; shape: number[] } {
  const data = new Float64Array(policies * arms * dimension);
  let at = 0;
  for (let p = 0; p < policies; p++) {
    for (let a = 0; a < arms; a++) {
      for (let j = 0; j < dimension; j++) {
        const z = Math.sin(p * 12.9898 + a * 78.233 + j * 37.719) * 43758.5453;
        data[at++] = z - Math.floor(z);
      }
    }
  }
  return { data, shape: [policies, arms, dimension] };
}

export const MEN = 'data/obd/random/men/men.csv';
/** Arms and context columns of the men's log. */
export const MEN_SHAPE = { arms: 34, dimension: 26 };

/** SQL of the reference's subsets. */
export const SUBSETS: Readonly<Record<string, string | undefined>> = {
  all: undefined,
  pos1: 'position = 1',
  pos2: 'position = 2',
  pos3: 'position = 3',
};

/** Matches and payoffs in the order of the set. */
export function inSetOrder(result: EvaluationResult): { T: number[]; G: number[]; value: (number | null)[] } {
  const rows = [...result.policies].sort((a, b) => a.index - b.index);
  return {
    T: rows.map((row) => row.matches),
    G: rows.map((row) => row.payoff ?? Number.NaN),
    value: rows.map((row) => row.value),
  };
}
