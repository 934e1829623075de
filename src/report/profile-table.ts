/** Files before a mapping, in words: their columns, and the mapping that they may be meant for. */

import type { ColumnProfile } from '../formats/table/profile/column.js';
import type { Profile } from '../formats/table/profile/profile.js';
import { printable } from '../printable.js';
import { describeFiles } from './describe.js';
import { type Fact, factLines } from './facts.js';
import { type Column, gridLines } from './grid.js';
import { toPrettyJson } from './json.js';
import { count, significant } from './numbers.js';
import { PLAIN, type Style } from './style.js';
import { shorten, wrap } from './text.js';

const COLUMNS: readonly Column[] = [
  { head: 'column', align: 'left', flexible: 'shorten' },
  { head: 'values', align: 'left' },
  { head: 'missing', align: 'right' },
  { head: 'distinct', align: 'right' },
  { head: 'least', align: 'left' },
  { head: 'greatest', align: 'left' },
];

/** Width of an example. */
const EXAMPLE = 16;

export function profileTable(profile: Profile, style: Style = PLAIN): string {
  const { rows, columns, moreColumns, mapping, remarks } = profile;
  const facts: Fact[] = [
    { label: 'files', text: describeFiles({ ...profile, where: null }) },
    { label: 'rows', text: count(rows) },
    {
      label: 'columns',
      text:
        moreColumns === 0
          ? count(columns.length)
          : `${count(columns.length + moreColumns)}; the first ${count(columns.length)} are below`,
    },
  ];
  const lines = [
    ...factLines(facts, style),
    '',
    ...gridLines(
      COLUMNS,
      columns.map((column) => cells(column, rows)),
      style,
    ),
  ];
  if (mapping !== null) {
    lines.push(
      '',
      ...wrap(
        'A mapping that these names and values suggest. Check it, keep it as mapping.json, then run',
        style.width,
      ),
      `  hindcast inspect ${filesWord(profile.files)} --mapping mapping.json`,
      '',
      toPrettyJson(mapping).trimEnd(),
    );
  }
  if (remarks.length > 0) lines.push('', ...remarks.flatMap((remark) => wrap(remark, style.width)));
  return `${lines.join('\n')}\n`;
}

function cells({ name, kind, missing, distinct, low, high, examples }: ColumnProfile, rows: number): string[] {
  const edge = (value: number | null, example: string | undefined): string =>
    value === null ? shorten(example ?? '', EXAMPLE) : significant(value, 9);
  return [
    name,
    kind,
    missing === 0 ? '0' : `${count(missing)} (${significant((100 * missing) / rows, 2)} %)`,
    count(distinct),
    edge(low, examples[0]),
    edge(high, examples[1] ?? examples[0]),
  ];
}

/** The files as a command names them, where a line has room for that. */
function filesWord(files: readonly string[]): string {
  const names = files.join(' ');
  return names.length <= 36 && printable(names) === names ? names : 'FILE';
}
