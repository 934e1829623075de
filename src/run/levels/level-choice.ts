/** Levels that an evaluation is asked for: segments of the log, or the parts of a hold-out. */

import { filesText, InputError } from '../../errors.js';
import type { BlockMaker } from '../../estimate/blocks/block-makers.js';
import { KeyLevels } from '../../estimate/blocks/key-levels.js';
import type { EventLevels } from '../../estimate/blocks/levels.js';
import { type PartChoice, PartLevels } from '../../estimate/blocks/parts.js';
import type { EventLog } from '../../log/event-log.js';
import { listNames, nearestName } from '../../names/order.js';

export interface LevelOptions {
  /**
   * Segments: key columns of the log, by whose values (of several their combinations) each policy is told by itself too, in the same
   * pass. At most 1,000 segments.
   */
  by?: readonly string[];
  /**
   * Hold-out: policies are ranked on one part of the log, and the best of them evaluated on the other, which knows nothing of their
   * having been picked. A share in (0, 1) to pick on: of the users where the log names them, else of its days, else of its blocks.
   * `days`: every other day (UTC). `{ blocks }`: so many of the blocks. No user is in both parts.
   */
  selectOn?: PartChoice;
  /** With `selectOn`: so many of the best are evaluated on the other part; default 10. */
  selectTop?: number;
}

/** @throws InputError for options that do not go together, or are out of range. */
export function checkLevels(
  { by, selectOn, selectTop }: LevelOptions,
  { validEvents, sequence }: { readonly validEvents?: number; readonly sequence?: string },
): void {
  if (selectTop !== undefined && selectOn === undefined) {
    throw new InputError({
      problem: 'option selectTop belongs to --select-on (in code: selectOn)',
      got: 'no hold-out',
      needed: 'both, or neither',
    });
  }
  if (by === undefined && selectOn === undefined) return;
  const asked = selectOn === undefined ? 'by' : 'selectOn';
  if (by !== undefined && selectOn !== undefined) {
    throw new InputError({
      problem: 'option by does not go together with --select-on (in code: selectOn)',
      got: 'segments of a hold-out',
      needed: 'the one or the other',
      hint: 'pick first; then look at the segments of the whole log, or of a part by --where',
    });
  }
  if (validEvents !== undefined) {
    throw new InputError({
      problem: `option ${asked} does not go together with --valid-events (in code: validEvents)`,
      got: `validEvents ${validEvents}`,
      needed: 'Algorithm 2, the whole log: the first valid events of all are not those of a part of it',
      hint: 'leave one of the two out',
    });
  }
  if (selectOn !== undefined && sequence !== undefined) {
    throw new InputError({
      problem: 'option selectOn does not go together with --sequence (in code: sequence)',
      got: `sequence ${sequence}`,
      needed: 'the whole log: a longer one would make other parts of what was looked at before',
      hint: 'leave one of the two out',
    });
  }
  if (by !== undefined && (by.length === 0 || new Set(by).size < by.length)) {
    throw new InputError({
      problem: 'option by is not usable',
      got: by.length === 0 ? 'no column' : listNames(by),
      needed: 'key columns of the log, each once',
    });
  }
  if (typeof selectOn !== 'number' || (selectOn > 0 && selectOn < 1)) return;
  throw new InputError({
    problem: 'option selectOn is not usable',
    got: String(selectOn),
    needed: 'a share of the events to pick on, above 0 and below 1; days; or a number of blocks',
    hint: selectOn >= 2 && selectOn < 100 ? `${selectOn / 100} for ${selectOn} %` : undefined,
  });
}

/** @returns `null`: none are asked for. @throws InputError where the log lacks the columns. */
export function eventLevels(head: EventLog, { by, selectOn }: LevelOptions, blocks: BlockMaker): EventLevels | null {
  if (selectOn !== undefined) return new PartLevels(head, selectOn, blocks);
  if (by === undefined) return null;
  const keys = by.map((name) => {
    const column = head.keys.get(name);
    if (column === undefined) throw noColumn(head, name);
    return { name, levels: column.levels };
  });
  return new KeyLevels(keys);
}

function noColumn({ keys, source }: EventLog, name: string): InputError {
  const known = [...keys.keys()];
  const near = nearestName(name, known);
  return new InputError({
    file: source.files.length === 0 ? undefined : filesText(source.files),
    problem: 'there is no such key column to make segments by',
    got: name,
    needed: `a column kept by value${known.length === 0 ? '; the log has none' : `, among ${listNames(known)}`}`,
    hint:
      near === null
        ? 'name it among the keys when the log is read (in code: keys)'
        : `did you mean ${JSON.stringify(near)}?`,
  });
}
