/**
 * Identifiers that look alike. Numbers of numeric columns are their values (1.0 is 1 in Parquet, Arrow and code); text stays
 * as it is written, so that `007` is no 7, a version 1.0 no 1 and `A` no `a`. Where two spellings may be one thing, that is said.
 */

import { look } from '../../names/look-alike.js';
import { plural } from '../../words.js';
import type { EventLog, KeyColumn } from '../event-log.js';

/** Groups of at least two identifiers that look alike. */
export function lookAlikes(ids: readonly string[], lookOf = look): string[][] {
  const groups = new Map<string, string[]>();
  for (const id of ids) {
    const key = lookOf(id);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [id]);
    else group.push(id);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Groups, and identifiers of a group, that are spelt out in a warning. */
export const SPELT_OUT = 3;

/**
 * What to say of identifiers that look alike.
 *
 * @param what they are: `arms of column "arm"`.
 * @param count of an identifier's rows or events, in words; `null`: not known.
 */
export function alikeWarning(
  what: string,
  groups: readonly (readonly string[])[],
  count: (id: string) => string | null,
): string {
  const texts = groups.slice(0, SPELT_OUT).map((group) => {
    const ids = group.slice(0, SPELT_OUT).map((id) => {
      const text = count(id);
      return text === null ? shown(id) : `${shown(id)} (${text})`;
    });
    const others = group.length - ids.length;
    return `${ids.join(' and ')}${others > 0 ? ` and ${others} more` : ''}`;
  });
  const more = groups.length > SPELT_OUT ? `; and ${plural(groups.length - SPELT_OUT, 'more group')}` : '';
  return `${what} look alike and are kept apart: ${texts.join('; ')}${more}; write each in one way if they are one`;
}

/** Of a log: its arms, users, values of keys and levels of contexts that look alike. */
export interface AlikeIn {
  readonly what: string;
  readonly groups: readonly (readonly string[])[];
  readonly column: Pick<KeyColumn, 'levels' | 'code'> | null;
}

export function alikeIn({ arms, arm, user, keys, contexts }: EventLog): AlikeIn[] {
  const columns: [what: string, column: Pick<KeyColumn, 'levels' | 'code'>][] = [
    ['arms', { levels: arms.ids, code: arm }],
    ...(user === null ? [] : [['users', user] as [string, KeyColumn]]),
    ...[...keys].map(([name, key]): [string, KeyColumn] => [`values of ${JSON.stringify(name)}`, key]),
  ];
  const levels = contexts.columns.filter((name) => name.includes('='));
  const lookOf = (name: string) => {
    const at = name.lastIndexOf('=') + 1;
    return name.slice(0, at) + look(name.slice(at));
  };
  return [
    ...columns.map(([what, column]) => ({ what, groups: lookAlikes(column.levels), column })),
    { what: 'context columns', groups: lookAlikes(levels, lookOf), column: null },
  ].filter(({ groups }) => groups.length > 0);
}

/** Warnings of a log's identifiers that look alike; how many events have each, where the events are there. */
export function alikeWarnings(log: EventLog, found = alikeIn(log)): string[] {
  return found.map(({ what, groups, column }) =>
    alikeWarning(what, groups, (id) => {
      if (column === null || column.code.length === 0) return null;
      const level = column.levels.indexOf(id);
      const events = column.code.reduce((sum, code) => sum + (code === level ? 1 : 0), 0);
      return `${events.toLocaleString('en')} ${events === 1 ? 'event' : 'events'}`;
    }),
  );
}

/** Text in quotes; characters that look like others as their code points. */
function shown(id: string): string {
  const text = JSON.stringify(id);
  return /^[\x20-\x7e]*$/.test(id)
    ? text
    : `${text}, ${[...id].map((c) => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(' ')},`;
}
