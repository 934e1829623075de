/** What memory a run took, in words. */

import type { EngineReport } from '../engine/contract.js';
import type { Fact } from './facts.js';

/** Nothing where memory was not bounded; `warn` where more was taken than allowed. */
export function describeMemory({ memory }: Pick<EngineReport, 'memory'>): Fact[] {
  if (memory === undefined) return [];
  const { limit, least, peak } = memory;
  const allowed = `${megabytes(limit)} allowed`;
  if (peak === null) return [{ label: 'memory', text: allowed }];
  const took = `${megabytes(peak)} resident at most, ${allowed}`;
  if (peak <= limit) return [{ label: 'memory', text: took }];
  // A bound that was large enough and did not hold is not to be explained away.
  const advice = limit < least ? `; the program and the smallest batches of this log want ${megabytes(least)}` : '';
  return [{ label: 'memory', text: `${took}${advice}`, warn: true }];
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)}\u00a0MB`;
}
