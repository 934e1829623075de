import { describe, expect, it } from 'vitest';
import { emptyChoices, type MatrixPolicies } from '#dist/policy/compiled.js';
import type { LinearPolicies } from '#dist/policy/linear/cpu.js';
import { matrixChoice, NO_CHOICE, referenceChoice } from '#dist/policy/reference.js';
import { fourEvents } from './small-log.js';

function matrix(cells: MatrixPolicies['cells'], choices: MatrixPolicies['choices']): MatrixPolicies {
  const policies = choices.length / cells.count;
  return { kind: 'matrix', family: 'test', policies, names: [], cells, choices };
}

describe('matrixChoice', () => {
  it('reads one cell for all events, a cell per event, and cells by number', () => {
    const one = matrix({ count: 1, of: null }, Uint16Array.of(2, 1));
    expect([0, 1].map((p) => [0, 3].map((t) => matrixChoice(one, p, t)))).toEqual([
      [2, 2],
      [1, 1],
    ]);
    const each = matrix({ count: 4, of: null }, Uint16Array.of(0, 1, 2, 0, 2, 2, 1, 1));
    expect([0, 1, 2, 3].map((t) => matrixChoice(each, 1, t))).toEqual([2, 2, 1, 1]);
    const some = matrix({ count: 2, of: Uint32Array.of(1, 0, 0, 1) }, Uint16Array.of(0, 1, 2, 0));
    expect([0, 1, 2, 3].map((t) => matrixChoice(some, 1, t))).toEqual([0, 2, 2, 0]);
  });

  it('knows "no arm" in both widths, and arm 65,535 in the wide one', () => {
    for (const arms of [3, 65534, 65535, 100_000]) {
      const choices = emptyChoices(1, 2, arms);
      choices[1] = arms - 1;
      const compiled = matrix({ count: 2, of: Uint32Array.of(0, 1) }, choices);
      expect(matrixChoice(compiled, 0, 0)).toBe(NO_CHOICE);
      expect(matrixChoice(compiled, 0, 1)).toBe(arms - 1);
    }
    const wide = matrix({ count: 1, of: null }, Uint32Array.of(0xffff));
    expect(matrixChoice(wide, 0, 0)).toBe(0xffff);
  });
});

describe('referenceChoice', () => {
  it('answers for every kind of policies', () => {
    const log = fourEvents({ candidates: [['7'], ['3'], ['3', '12'], ['7']] });
    const base = { family: 'test', policies: 1, names: ['a'] };
    const weights = new Float32Array(6);
    const linear: LinearPolicies = { ...base, kind: 'scored', family: 'linear', weights, arms: 3, dimension: 2 };
    const choose = [
      referenceChoice(matrix({ count: 1, of: null }, Uint16Array.of(2)), log),
      referenceChoice(linear, log),
      referenceChoice({ ...base, kind: 'uniform', seed: 0, replica: Uint32Array.of(0) }, log),
    ];
    expect(choose.map((one) => [0, 1, 3].map((t) => one(0, t)))).toEqual([
      [2, 2, 2],
      [1, 0, 1],
      [1, 0, 1],
    ]);
  });
});
