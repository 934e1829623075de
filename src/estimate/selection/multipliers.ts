/**
 * Multipliers of the bootstrap: a standard normal number for each block and draw, as whole numbers of 1/24, so that sums of them are
 * exact on every engine. Each is the quantile of a 16-bit uniform number: within ±4.4 standard deviations, beyond which one of 65,536
 * would lie.
 */

import normalQuantile from '@stdlib/stats-base-dists-normal-quantile';
import { STREAM, threefry2x32 } from '../../random/threefry.js';

/** Whole numbers of a standard deviation. */
const STEPS = 24;
const CODES = 65536;

/** What a 16-bit number stands for. */
function makeTable(): Int8Array {
  return Int8Array.from({ length: CODES }, (_, code) => Math.round(STEPS * normalQuantile((code + 0.5) / CODES, 0, 1)));
}

let known: { readonly table: Int8Array; readonly deviation: number } | null = null;

function normals(): NonNullable<typeof known> {
  if (known === null) {
    const table = makeTable();
    known = { table, deviation: Math.sqrt(table.reduce((sum, step) => sum + step * step, 0) / CODES) };
  }
  return known;
}

/** The standard deviation of a multiplier; their mean is 0. */
export function multiplierDeviation(): number {
  return normals().deviation;
}

/**
 * Threefry's stream `bootstrap`, counter (group of four blocks, draw).
 *
 * @param stride numbers of a draw, at least `blocks`; those beyond are 0.
 * @returns [draws][stride]
 */
export function multipliers(blocks: number, draws: number, seed: number, stride: number): Int8Array {
  const { table } = normals();
  const all = new Int8Array(draws * stride);
  const out = new Uint32Array(2);
  for (let draw = 0; draw < draws; draw++) {
    const row = draw * stride;
    for (let b = 0; b < blocks; b += 4) {
      threefry2x32(seed, STREAM.multipliers, b >>> 2, draw, out);
      const codes = [out[0] & 0xffff, out[0] >>> 16, out[1] & 0xffff, out[1] >>> 16];
      for (let i = 0; i < 4 && b + i < blocks; i++) all[row + b + i] = table[codes[i]];
    }
  }
  return all;
}
