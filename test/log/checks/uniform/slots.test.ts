import { describe, expect, it } from 'vitest';
import { Entries } from '#dist/log/checks/uniform/slots.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';

describe('places of logged arms', () => {
  // Few pairs of pool and arm are kept in a table; 2¹⁶ + K of them are searched for.
  it.each([
    [40, 5],
    [300, 219],
  ])('are those in the candidate sets (K = %i, %i sets)', (K, sets) => {
    const candidates = Array.from({ length: sets }, (_, s) =>
      Array.from({ length: 3 + (s % 4) }, (_, i) => (7 * s + 11 * i) % K).sort((a, b) => a - b),
    );
    const of = Array.from({ length: 3 * sets }, (_, t) => candidates[(t * 13) % sets]);
    const armIndex = Uint32Array.from(of, (arms, t) => arms[(t * 5) % arms.length]);
    const log = logFromColumns({ armIndex, arms: K, payoff: armIndex.map(() => 0), candidates: of });
    const { pool, offsets, arms } = log.pools;
    const out = new Uint32Array(of.length);
    new Entries().fill(log, 0, of.length, out);
    for (const [t, entry] of out.entries()) {
      const s = pool?.[t] ?? 0;
      expect(arms[entry]).toBe(armIndex[t]);
      expect(entry >= offsets[s] && entry < offsets[s + 1]).toBe(true);
    }
  });
});
