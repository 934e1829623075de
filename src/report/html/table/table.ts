/** The whole table in the page: its first rows as they are, the others as data for the script. */

import { plural } from '../../../words.js';
import { count } from '../../numbers.js';
import { all, type Child, type Markup, scriptJson, tag } from '../markup.js';
import { MOST_NAME } from '../short-names.js';
import { cellText, isNumeric, PRINTED, shownColumns, type TableData } from './cells.js';
import { DIGITS } from './table-data.js';

/** Rows that stand in the page without its script, and on paper. */
const FIRST_ROWS = 50;
/** Longer data are compressed. */
const PLAIN_LENGTH = 100_000;

/** The section's content. */
export async function tableSection(data: TableData): Promise<Markup> {
  const { columns, noun, total } = data;
  const rows = columns[0].cells.length;
  const shown = shownColumns(columns);
  const left = total - rows;
  const head = shown.map((column) =>
    tag('th', { scope: 'col', class: isNumeric(column) ? 'number' : null, 'data-column': column.name }, column.head),
  );
  const body = Array.from({ length: Math.min(rows, FIRST_ROWS) }, (_, row) =>
    tag(
      'tr',
      {},
      shown.map((column) => cell(data, column, row)),
    ),
  );
  return all(
    tools(data),
    tag(
      'p',
      { id: 'shown', role: 'status' },
      `${plural(rows, ...noun)}${rows > FIRST_ROWS ? `, of which the first ${FIRST_ROWS} are shown` : ''}.`,
    ),
    tag(
      'div',
      { id: 'table', class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Table of ${noun[1]}` },
      tag(
        'table',
        {},
        tag('caption', { class: 'unseen' }, `All ${noun[1]}, best first`),
        tag('thead', {}, tag('tr', {}, head)),
        tag('tbody', {}, body),
      ),
    ),
    tag(
      'p',
      { class: 'note' },
      `Numbers to ${DIGITS} digits and names to ${MOST_NAME} characters in the copy; the JSON result has all of both.`,
      rows > PRINTED ? ` On paper: the first ${PRINTED} rows, as they are sorted.` : '',
      left === 0 ? '' : ` ${count(left)} more ${left === 1 ? noun[0] : noun[1]} were left out of the result (--top).`,
    ),
    await dataElement(data),
  );
}

function cell(data: TableData, column: TableData['columns'][number], row: number): Markup {
  const text = cellText(data.columns, column, row);
  if (column.kind === 'name') return tag('th', { scope: 'row' }, tag('bdi', {}, text));
  return tag('td', { class: isNumeric(column) ? 'number' : null }, text);
}

/** What the script fills with life, hidden without it. */
function tools({ columns, noun }: TableData): Markup {
  const families = [...new Set(columns.find(({ name }) => name === 'family')?.cells ?? [])];
  const hasBest = columns.some(({ name }) => name === 'mayBeBest');
  const select: Child =
    families.length < 2
      ? null
      : tag(
          'label',
          {},
          'Family ',
          tag(
            'select',
            { id: 'family' },
            tag('option', { value: '' }, 'all'),
            families.map((family) => tag('option', { value: String(family) }, String(family))),
          ),
        );
  return tag(
    'div',
    { class: 'tools', id: 'tools', hidden: true },
    tag(
      'label',
      {},
      'Name has ',
      tag('input', { id: 'name', type: 'search', autocomplete: 'off', spellcheck: 'false' }),
    ),
    select,
    hasBest && tag('label', {}, tag('input', { id: 'best', type: 'checkbox' }), ' may be the best'),
    tag('button', { id: 'copy', type: 'button' }, 'Copy as CSV'),
    tag('span', { id: 'copied', role: 'status' }),
    tag('span', { class: 'hint' }, `Click a ${noun[0]} to see it in the pictures; a column’s head to sort.`),
  );
}

/** The columns for the script; long ones compressed. */
async function dataElement(data: TableData): Promise<Markup> {
  const text = JSON.stringify(data);
  if (text.length <= PLAIN_LENGTH) return tag('script', { type: 'application/json', id: 'data' }, scriptJson(data));
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return tag('script', { type: 'application/gzip', id: 'data' }, base64(bytes));
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
