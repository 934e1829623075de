/** Contexts: numbers, and levels as codes. */

import type { RowBatch } from '../../../files/duckdb.js';
import type { ContextBatch, ContextForm } from '../../../log/build/context-form.js';
import { ContextPacker, type ContextSpec, contextColumns } from '../../../log/build/contexts.js';
import type { Fill } from '../../../log/build/missing.js';
import type { SourceFile } from '../../format.js';
import type { Dictionary } from './dictionary.js';
import { elementNames } from './list-contexts.js';
import type { Marks } from './marks.js';
import { NumberCheck } from './number-check.js';
import { type ColumnOfNumbers, NumberColumns } from './number-columns.js';
import type { Plan } from './plan.js';
import { CodeTask, type ColumnTask } from './tasks.js';

/** A one-hot column, or a number. */
type Part = { codes: CodeTask; numbers: null } | { codes: null; numbers: NumberCheck };

/** Contexts. */
export class ContextTask implements ColumnTask {
  /** Names of the features. */
  readonly names: readonly string[];
  private readonly packer: ContextPacker;
  private readonly parts: Part[];
  private readonly numbers: NumberColumns;
  /** Expressions of categories, which come before those of numbers. */
  private firstNumber = 0;
  private columns: (Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array)[] = [];

  /**
   * @param fills what missing numbers are filled in with, by column.
   * @param form that the contexts are to have; `null`: the one that fits.
   */
  constructor(
    capacity: number,
    plan: Plan,
    dictionaries: ReadonlyMap<string, Dictionary>,
    fills: ReadonlyMap<string, Fill>,
    form: ContextForm | null,
  ) {
    const sources: ContextSpec['sources'][number][] = [];
    const numbers: ColumnOfNumbers[] = [];
    this.parts = plan.context.flatMap(({ column: name, encode, length = null }): Part[] => {
      const dictionary = encode === 'onehot' ? dictionaries.get(name) : undefined;
      if (dictionary === undefined) {
        numbers.push({ name, length });
        const features = length === null ? [name] : elementNames(name, length);
        return features.map((feature) => {
          sources.push({ kind: 'numeric', name: feature });
          const check =
            length === null
              ? new NumberCheck(name, 'feature', fills.get(name) ?? null)
              : new NumberCheck(name, 'element', null);
          return { codes: null, numbers: check };
        });
      }
      const { levels } = dictionary;
      sources.push({ kind: 'onehot', name, levels });
      const codes = new CodeTask(capacity, dictionary, 'feature', new Map(levels.map((level, i) => [level, i])), false);
      return [{ codes, numbers: null }];
    });
    this.numbers = new NumberColumns(numbers);
    const spec = { sources, intercept: plan.intercept };
    this.names = contextColumns(spec);
    this.packer = new ContextPacker(spec, capacity, form);
  }

  bind(source: SourceFile): string[] {
    const codes = this.parts.flatMap((part) => part.codes?.bind(source) ?? []);
    this.firstNumber = codes.length;
    return [...codes, ...this.numbers.bind(source)];
  }

  check(batch: RowBatch, first: number, marks: Marks): void {
    const numbers = this.numbers.read(batch, first + this.firstNumber, marks);
    let code = 0;
    let number = 0;
    this.columns = this.parts.map((part) => {
      if (part.codes !== null) {
        part.codes.check(batch, first + code++, marks);
        return part.codes.codes;
      }
      const column = numbers[number++];
      return part.numbers.check(column, column.isTyped, batch.rows, marks);
    });
  }

  see(rows: Uint32Array, count: number): void {
    for (const { codes } of this.parts) codes?.see(rows, count);
  }

  /** Dictionaries of the one-hot columns, without the levels that only rows have which are dropped. */
  left(): Dictionary[] {
    return this.parts.flatMap(({ codes }) => codes?.left() ?? []);
  }

  /** What looks at the numeric columns, in their order. */
  numberChecks(): NumberCheck[] {
    return this.parts.flatMap(({ numbers }) => numbers ?? []);
  }

  /** What reads the one-hot columns, in their order. */
  codeTasks(): CodeTask[] {
    return this.parts.flatMap(({ codes }) => codes ?? []);
  }

  append(rows: Uint32Array, count: number): void {
    for (const [i, { codes, numbers }] of this.parts.entries()) {
      if (codes !== null) codes.append(rows, count);
      else if (numbers.fill !== null) numbers.append(this.columns[i] as Float64Array, rows, count);
    }
    this.packer.pushBatch(this.columns, rows, count);
  }

  /** Contexts since the last call; valid until the next `append`. @throws OtherForm where their form is not free. */
  take(): ContextBatch {
    return this.packer.take();
  }

  /** The contexts that were not taken. @throws OtherForm where their form is not free. */
  finish() {
    return this.packer.finish();
  }
}
