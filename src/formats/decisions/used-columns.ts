/** Columns are what events of the log have: counted, up to a limit. */

import { tooMany, type Vocabulary } from './vocabulary.js';

/** Of one of the two vocabularies: which names events of the log use as columns. */
export class UsedColumns {
  readonly isUsed: boolean[] = [];
  /** Columns so far. */
  count = 0;
  /** Where the first column beyond the limit came. */
  private beyond: { file: string; line: number } | null = null;

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly limit: number,
  ) {}

  /** Marks the features of `words[from ..]` in steps of three. */
  mark(words: readonly number[], from: number, { file, line }: { readonly file: string; readonly line: number }): void {
    for (let i = from; i < words.length; i += 3) {
      const number = words[i];
      if (this.isUsed[number] === true || !this.vocabulary.isColumn[number]) continue;
      this.isUsed[number] = true;
      this.count++;
      if (this.count === this.limit + 1) this.beyond = { file, line };
    }
  }

  /** @throws InputError that counts the columns, where there are too many. */
  check(): void {
    if (this.beyond === null) return;
    throw tooMany(this.vocabulary.what, this.count.toLocaleString('en'), this.limit, this.beyond);
  }
}
