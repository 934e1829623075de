/** What collects columns, a batch at a time: together the batches are what is kept of all events at once. */

import { describe, expect, it } from 'vitest';
import { type ContextForm, inForm, OtherForm } from '#dist/log/build/context-form.js';
import { ContextPacker, type ContextSpec } from '#dist/log/build/contexts.js';
import { PayoffPacker } from '#dist/log/build/payoff.js';
import { RowNumbers } from '#dist/log/build/row-numbers.js';

/** Lengths of batches, one of them empty. */
const BATCHES = [1, 0, 499, 70_000, 3];
const EVENTS = BATCHES.reduce((a, b) => a + b, 0);

describe('payoffs that are taken', () => {
  const whole = (payoffs: readonly number[]) => {
    const packer = new PayoffPacker(payoffs.length);
    for (const payoff of payoffs) packer.push(payoff);
    return packer.finish();
  };

  it.each([
    ['clicks', (t: number) => t % 2],
    ['cents', (t: number) => (t % 700) / 100],
    ['without a step, few', (t: number) => Math.sqrt(t % 50)],
    ['without a step, more than a dictionary holds', (t: number) => Math.sqrt(t + 2)],
    ['with a step, more than a dictionary holds', (t: number) => (t - 40_000) / 4],
    ['one only', () => 0.3],
  ])('are as they are, and have the scale of all: %s', (_, of) => {
    const payoffs = Array.from({ length: EVENTS }, (_, t) => of(t));
    const packer = new PayoffPacker(70_000);
    let t = 0;
    for (const events of BATCHES) {
      for (const end = t + events; t < end; t++) packer.push(payoffs[t]);
      expect([...packer.take()]).toEqual(payoffs.slice(t - events, t));
    }
    const { steps, ...found } = packer.finish();
    const { steps: all, ...expected } = whole(payoffs);
    expect(found).toEqual(expected);
    expect([steps.length, all.length]).toEqual([0, EVENTS]);
  });

  it('leave the others to be packed', () => {
    const packer = new PayoffPacker(3);
    for (const payoff of [0.5, 0.25, -0]) packer.push(payoff);
    expect(Object.is(packer.take()[2], 0)).toBe(true);
    for (const payoff of [1, 0.5]) packer.push(payoff);
    const { steps, maxSteps } = packer.finish();
    expect([[...steps], maxSteps]).toEqual([[4, 2], 4]);
  });
});

describe('row numbers that are taken', () => {
  it.each([
    ['all of them', (_: number) => true],
    ['but the first', (row: number) => row > 0],
    ['but one in a later batch', (row: number) => row !== 600],
    ['but one in two', (row: number) => row % 2 === 0],
  ])('are those that were pushed: %s', (_, isEvent) => {
    const rows = Array.from({ length: 2 * EVENTS }, (_, row) => row).filter(isEvent);
    const batched = new RowNumbers(10);
    batched.reserve(70_000);
    const whole = new RowNumbers(EVENTS);
    let t = 0;
    for (const events of BATCHES) {
      const batch = rows.slice(t, t + events);
      const isRun = events > 0 && batch[events - 1] === batch[0] + events - 1;
      for (const numbers of [batched, whole]) {
        if (isRun) numbers.pushRun(batch[0], events);
        else for (const row of batch) numbers.push(row);
      }
      expect([...batched.take()]).toEqual(batch);
      t += events;
    }
    const isIdentity = rows[EVENTS - 1] === EVENTS - 1;
    expect(whole.finish()).toEqual(isIdentity ? null : Uint32Array.from(rows.slice(0, EVENTS)));
    expect([batched.count, batched.finish()?.length ?? null]).toEqual([EVENTS, isIdentity ? null : 0]);
  });
});

describe('contexts that are taken', () => {
  const spec: ContextSpec = {
    sources: [
      { kind: 'onehot', name: 'k', levels: ['a', 'b', 'c'] },
      { kind: 'numeric', name: 'x' },
    ],
    intercept: true,
  };
  const EVENTS = 140_000;
  const BATCH = 20_000;
  const fill = (packer: ContextPacker, t: number, of: (t: number) => number) => {
    packer.row.set([t % 3, of(t)]);
    packer.push();
  };

  it.each([
    ['repeated: a table', 'table', (t: number) => (t % 7) / 3],
    ['all different, in f32: known after a sample', 'f32', (t: number) => t / 4],
    ['all different, in f64', 'f64', (t: number) => t / 3],
    ['different, in f64 at the end only', 'f64', (t: number) => (t === EVENTS - 1 ? 0.1 : t / 4)],
    // The sample repeats; the rest does not, and is the larger part.
    ['different in the end', 'f32', (t: number) => (t < 60_000 ? t % 5 : t)],
  ] as const)('have the form of all: %s', async (_, expected, of) => {
    const whole = new ContextPacker(spec, EVENTS);
    for (let t = 0; t < EVENTS; t++) fill(whole, t, of);
    const table = whole.finish();
    const forms: (ContextForm | null)[] = [];
    const taken = await inForm(true, async (form) => {
      forms.push(form);
      const packer = new ContextPacker(spec, BATCH, form);
      const values: number[] = [];
      const rows: number[] = [];
      for (let t = 0; t < EVENTS; ) {
        for (const end = t + BATCH; t < end; t++) fill(packer, t, of);
        const batch = packer.take();
        for (const value of batch.values) values.push(value);
        for (const row of batch.row ?? []) rows.push(row);
      }
      return { ...packer.finish(), taken: values, rows };
    });
    expect([forms.at(-1), forms[0]]).toEqual([expected, 'table']);
    expect([taken.values.constructor, taken.row === null]).toEqual([table.values.constructor, table.row === null]);
    if (table.row !== null) expect(taken.values).toEqual(table.values);
    // Byte by byte: there are too many for a comparison one by one.
    const [handed, kept] = table.row === null ? [taken.taken, table.values] : [taken.rows, table.row];
    expect(bytesOf(handed).equals(bytesOf(kept))).toBe(true);
  });

  it('are kept in whatever form where they are not', async () => {
    const forms: unknown[] = [];
    await inForm(false, async (form) => forms.push(form));
    expect(forms).toEqual([null]);
    await expect(inForm(true, async () => Promise.reject(new RangeError('another')))).rejects.toThrow(RangeError);
    expect(new OtherForm('f32').form).toBe('f32');
  });
});

function bytesOf(values: ArrayLike<number>): Buffer {
  return Buffer.from(Float64Array.from(values).buffer);
}
