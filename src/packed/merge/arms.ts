/** Arms of several files. */

import { armDictionary } from '../../log/build/arms.js';
import { u32Column } from '../../log/build/memory.js';
import type { ArmDictionary } from '../../log/event-log.js';
import { sortIds } from '../../names/order.js';
import type { PackedFile } from '../packed-file.js';
import { type Codes, simplified } from '../recoding.js';
import { unlike } from './parts.js';

export class ArmMerger {
  private readonly lists: { readonly file: PackedFile; readonly numbers: Uint32Array }[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly seen: string[] = [];
  private areSame = true;
  /** A file whose arms have an order of their own. */
  private ordered: PackedFile | null = null;

  constructor(private readonly files: readonly PackedFile[]) {}

  /** The next file's arms. Returns the ids' numbers, in order of appearance over all files. */
  add(file: PackedFile, ids: readonly string[]): Uint32Array {
    const { numbers, seen, lists } = this;
    const list = u32Column(ids.length);
    for (const [a, id] of ids.entries()) {
      let number = numbers.get(id);
      if (number === undefined) {
        number = seen.push(id) - 1;
        numbers.set(id, number);
      }
      list[a] = number;
    }
    // Numbers of the first file are 0, 1, …
    if (list.some((number, a) => number !== a) || (lists.length > 0 && list.length !== lists[0].numbers.length))
      this.areSame = false;
    if (this.ordered === null && !isSorted(ids)) this.ordered = file;
    lists.push({ file, numbers: list });
    return list;
  }

  /**
   * The arms of all files: in the order of identifiers, unless all have the same list, which may have been given.
   *
   * @throws InputError where files have different arms and one of them an order that was given.
   */
  finish(): { arms: ArmDictionary; codes: Codes[] } {
    const { seen, lists, ordered } = this;
    if (!this.areSame && ordered !== null) {
      const other = lists.find(({ file }) => file !== ordered)?.file ?? ordered;
      throw unlike(this.files, {
        file: ordered.name,
        column: 'arms',
        problem: `the arms are in an order that was given, and ${other.name} has other arms`,
        needed: 'the same list of arms in every file, or arms in their natural order',
        hint: 'convert the original files with one list of all arms (--arms-order), or without',
      });
    }
    const arms = this.areSame ? armDictionary([], seen.length === 0 ? undefined : seen) : armDictionary(seen);
    const codes = lists.map(({ numbers }) => simplified(numbers.map((number) => arms.index.get(seen[number]) ?? 0)));
    return { arms, codes };
  }
}

function isSorted(ids: readonly string[]): boolean {
  const sorted = sortIds([...ids]);
  return ids.every((id, a) => id === sorted[a]);
}
