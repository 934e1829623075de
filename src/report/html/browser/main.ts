/** The script of a report: the table sorts, filters and scrolls; what is clicked is shown in the pictures. */

import { count } from '../../numbers.js';
import { cellText, shownColumns, type TableData } from '../table/cells.js';
import { lacksSeries, showChosen } from './chosen.js';
import { readData } from './data.js';
import { toCsv, type Wish } from './order.js';
import { tableView } from './table.js';

const element = <Kind extends HTMLElement>(id: string): Kind | null => document.querySelector<Kind>(`#${id}`);

function start(data: TableData): void {
  const wish: Wish = { name: '', family: '', best: false, column: null, descending: false };
  const all = data.columns[0].cells.length;
  let chosen: number | null = null;
  const choose = (row: number | null): void => {
    chosen = row === chosen ? null : row;
    view.choose(chosen);
    showChosen(data, chosen);
    tellChosen(data, chosen, () => choose(chosen));
  };
  const view = tableView(data, choose);
  const update = (): void => {
    const shown = view.update(wish);
    const [one, many] = data.noun;
    const noun = all === 1 ? one : many;
    element('shown')!.textContent = `${shown === all ? count(all) : `${count(shown)} of ${count(all)}`} ${noun}.`;
  };
  element<HTMLInputElement>('name')?.addEventListener('input', ({ target }) => {
    wish.name = (target as HTMLInputElement).value;
    update();
  });
  element<HTMLSelectElement>('family')?.addEventListener('change', ({ target }) => {
    wish.family = (target as HTMLSelectElement).value;
    update();
  });
  element<HTMLInputElement>('best')?.addEventListener('change', ({ target }) => {
    wish.best = (target as HTMLInputElement).checked;
    update();
  });
  element('copy')?.addEventListener('click', () => void copy(toCsv(data, view.rows), view.rows.length));
  sortableHeads(data, wish, update);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && chosen !== null) choose(chosen);
  });
  element('tools')!.hidden = false;
  update();
}

/** A click sorts by a column, the best or the largest first; another one the other way round; a third as they came. */
function sortableHeads({ columns }: TableData, wish: Wish, update: () => void): void {
  for (const head of document.querySelectorAll<HTMLElement>('#table thead th')) {
    const name = head.dataset.column ?? '';
    const kind = columns.find((column) => column.name === name)?.kind;
    const isText = kind === 'name' || kind === 'text' || kind === 'index';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const isSame = wish.column === name;
      const isSecond = isSame && wish.descending !== isText;
      if (isSame && !isSecond) wish.column = null;
      else [wish.column, wish.descending] = [name, isSame ? isText : !isText];
      for (const other of document.querySelectorAll<HTMLElement>('#table thead th')) {
        const isBy = other.dataset.column === wish.column && wish.column !== null;
        if (isBy) other.ariaSort = wish.descending ? 'descending' : 'ascending';
        else other.removeAttribute('aria-sort');
      }
      update();
    });
  }
}

/** What is known of the chosen one, in words, at the foot of the window. */
function tellChosen(data: TableData, row: number | null, close: () => void): void {
  const panel = element('picked')!;
  panel.hidden = row === null;
  panel.replaceChildren();
  if (row === null) return;
  const text = document.createElement('p');
  text.setAttribute('role', 'status');
  const name = document.createElement('bdi');
  const strong = document.createElement('strong');
  strong.append(name);
  const shown = shownColumns(data.columns);
  name.textContent = cellText(data.columns, shown[0], row);
  const facts = shown
    .slice(1)
    .map((column) => [column.head, cellText(data.columns, column, row)] as const)
    .filter(([, told]) => told !== '' && told !== '–');
  text.append(
    strong,
    ` is ${count(row + 1)} of ${count(data.total)} by value: ${facts.map(([head, told]) => `${head} ${told}`).join('; ')}.${lacksSeries(data, row) ? ' The pictures over time are not of it.' : ''}`,
  );
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Close';
  button.addEventListener('click', close);
  panel.append(text, button);
}

async function copy(text: string, rows: number): Promise<void> {
  const told = element('copied')!;
  try {
    await navigator.clipboard.writeText(text);
    told.textContent = `${count(rows)} ${rows === 1 ? 'row' : 'rows'} copied.`;
  } catch {
    told.textContent = 'The browser does not let this page copy.';
  }
}

void readData().then((data) => {
  if (data !== null) start(data);
});
