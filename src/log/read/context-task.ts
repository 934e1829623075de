/** Contexts: numbers, and levels as codes. */

import { type ContextForm, type ContextStretch, ContextStretches } from '../context-stretches.js';
import { ContextPacker, type ContextSpec, contextColumns } from '../contexts.js';
import type { Batch } from '../formats/duckdb.js';
import type { SourceFile } from '../formats/source.js';
import type { Dictionary } from './dictionary.js';
import type { Marks } from './marks.js';
import { NumberColumns } from './number-columns.js';
import type { Plan } from './plan.js';
import { CodeTask, type ColumnTask, NumberCheck } from './tasks.js';

/** Contexts. */
export class ContextTask implements ColumnTask {
  /** Names of the features. */
  readonly names: readonly string[];
  private readonly packer: ContextPacker | ContextStretches;
  private readonly parts: { readonly name: string; readonly codes: CodeTask | null; readonly numbers: NumberCheck }[];
  private readonly numbers: NumberColumns;
  /** Expressions of categories, which come before those of numbers. */
  private firstNumber = 0;
  private columns: (Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array)[] = [];

  /** @param form of contexts that are taken a stretch at a time. */
  constructor(capacity: number, plan: Plan, dictionaries: ReadonlyMap<string, Dictionary>, form?: ContextForm) {
    const sources: ContextSpec['sources'][number][] = [];
    this.parts = plan.context.map(({ column: name, encode }) => {
      const dictionary = encode === 'onehot' ? dictionaries.get(name) : undefined;
      if (dictionary === undefined) {
        sources.push({ kind: 'numeric', name });
        return { name, codes: null, numbers: new NumberCheck(name, 'feature') };
      }
      const { levels } = dictionary;
      sources.push({ kind: 'onehot', name, levels });
      const codes = new CodeTask(capacity, dictionary, 'feature', new Map(levels.map((level, i) => [level, i])), false);
      return { name, codes, numbers: new NumberCheck(name, 'feature') };
    });
    this.numbers = new NumberColumns(this.parts.filter(({ codes }) => codes === null).map(({ name }) => name));
    const spec = { sources, intercept: plan.intercept };
    this.names = contextColumns(spec);
    this.packer = form === undefined ? new ContextPacker(spec, capacity) : new ContextStretches(spec, capacity, form);
  }

  bind(source: SourceFile): string[] {
    const codes = this.parts.flatMap((part) => part.codes?.bind(source) ?? []);
    this.firstNumber = codes.length;
    return [...codes, ...this.numbers.bind(source)];
  }

  check(batch: Batch, first: number, marks: Marks): void {
    const numbers = this.numbers.read(batch, first + this.firstNumber);
    let code = 0;
    let number = 0;
    this.columns = this.parts.map((part) => {
      if (part.codes !== null) {
        part.codes.check(batch, first + code++, marks);
        return part.codes.codes;
      }
      const column = numbers[number++];
      part.numbers.check(column, batch.rows, marks);
      return column.items;
    });
  }

  see(rows: Uint32Array, count: number): void {
    for (const { codes } of this.parts) codes?.see(rows, count);
  }

  /** Dictionaries of the one-hot columns, without the levels that only rows have which are dropped. */
  left(): Dictionary[] {
    return this.parts.flatMap(({ codes }) => codes?.left() ?? []);
  }

  append(rows: Uint32Array, count: number): void {
    this.packer.pushBatch(this.columns, rows, count);
  }

  /** Contexts since the last call, of a task that reads in stretches. @throws OtherForm */
  take(): ContextStretch {
    if (this.packer instanceof ContextStretches) return this.packer.take();
    throw new RangeError('these contexts are packed at the end');
  }

  finish() {
    return this.packer.finish();
  }
}
