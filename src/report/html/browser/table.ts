/** The table that holds any number of rows: those in view are there, the others are room above and below. */

import { cellText, isNumeric, PRINTED, shownColumns, type TableColumn, type TableData } from '../table/cells.js';
import { orderOf, type Wish } from './order.js';

/** Height of a row; the style sheet says the same. */
const ROW_HEIGHT = 28;
/** More of the table is never in view: the style sheet has less. */
const MOST_HEIGHT = 2000;
/** Rows beyond those in view, either way. */
const SPARE = 10;

export interface TableView {
  /** Sorts and filters anew. */
  update(wish: Wish): number;
  /** Rows as they are sorted and filtered. */
  readonly rows: readonly number[];
  choose(row: number | null): void;
}

/** @param pick told which row was clicked. */
export function tableView(data: TableData, pick: (row: number) => void): TableView {
  const frame = document.querySelector<HTMLElement>('#table')!;
  const body = frame.querySelector('tbody')!;
  const shown = shownColumns(data.columns);
  let rows: readonly number[] = orderOf(data, { name: '', family: '', best: false, column: null, descending: false });
  let chosen: number | null = null;
  let [first, last] = [-1, -1];

  const draw = (force: boolean, everything = false): void => {
    // On paper the frame is as high as its content.
    const height = everything ? PRINTED * ROW_HEIGHT : Math.min(frame.clientHeight, MOST_HEIGHT);
    const top = everything ? 0 : frame.scrollTop;
    const from = Math.max(0, Math.min(rows.length - 1, Math.floor(top / ROW_HEIGHT)) - SPARE);
    const to = Math.min(rows.length, Math.ceil((top + height) / ROW_HEIGHT) + (everything ? 0 : SPARE));
    if (!force && from === first && to === last) return;
    // Whoever holds the focus keeps it, or the table takes it.
    const held = body.contains(document.activeElement) ? Number(place(document.activeElement!)) : null;
    [first, last] = [from, to];
    const parts: HTMLElement[] = [];
    if (from > 0) parts.push(space(from));
    for (let at = from; at < to; at++) parts.push(line(at));
    if (!everything && to < rows.length) parts.push(space(rows.length - to));
    body.replaceChildren(...parts);
    if (held === null) return;
    // Where the focused element goes, browsers look at the table while it is empty, and scroll it to its top.
    if (frame.scrollTop !== top) frame.scrollTop = top;
    (buttonAt(held) ?? frame).focus({ preventScroll: true });
  };

  const space = (count: number): HTMLElement => {
    const row = document.createElement('tr');
    row.className = 'space';
    row.ariaHidden = 'true';
    const cell = row.insertCell();
    cell.colSpan = shown.length;
    cell.style.height = `${count * ROW_HEIGHT}px`;
    return row;
  };

  const line = (at: number): HTMLElement => {
    const row = rows[at];
    const element = document.createElement('tr');
    element.ariaRowIndex = String(at + 2);
    if (row === chosen) element.className = 'chosen';
    element.append(...shown.map((column) => cell(column, row, at)));
    return element;
  };

  const cell = (column: TableColumn, row: number, at: number): HTMLElement => {
    const text = cellText(data.columns, column, row);
    if (column.kind !== 'name') {
      const element = document.createElement('td');
      if (isNumeric(column)) element.className = 'number';
      element.textContent = text;
      return element;
    }
    const element = document.createElement('th');
    element.scope = 'row';
    const button = document.createElement('button');
    button.type = 'button';
    button.dataset.at = String(at);
    button.ariaPressed = String(row === chosen);
    const name = document.createElement('bdi');
    name.textContent = text;
    button.title = text;
    button.append(name);
    element.append(button);
    return element;
  };

  const buttonAt = (at: number): HTMLElement | null => body.querySelector<HTMLElement>(`button[data-at="${at}"]`);
  const go = (at: number): void => {
    const wanted = Math.min(rows.length - 1, Math.max(0, at));
    const top = wanted * ROW_HEIGHT;
    const head = frame.querySelector('thead')!.offsetHeight;
    if (top < frame.scrollTop) frame.scrollTop = top;
    else if (top + ROW_HEIGHT > frame.scrollTop + frame.clientHeight - head)
      frame.scrollTop = top + ROW_HEIGHT - frame.clientHeight + head;
    draw(false);
    buttonAt(wanted)?.focus({ preventScroll: true });
  };

  let isAsked = false;
  frame.addEventListener('scroll', () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw(false);
    });
  });
  body.addEventListener('click', ({ target }) => {
    const at = target instanceof Element ? place(target) : null;
    if (at !== null) pick(rows[Number(at)]);
  });
  frame.addEventListener('keydown', (event) => {
    const at = body.contains(document.activeElement) ? Number(place(document.activeElement!) ?? 0) : null;
    const page = Math.max(1, Math.floor(frame.clientHeight / ROW_HEIGHT) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -rows.length,
      End: rows.length,
    };
    const step = steps[event.key];
    if (at === null || step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(at + step);
  });
  let isPrinting = false;
  window.addEventListener('resize', () => draw(true, isPrinting));
  for (const name of ['beforeprint', 'afterprint'])
    window.addEventListener(name, () => {
      isPrinting = name === 'beforeprint';
      draw(true, isPrinting);
    });
  const table = frame.querySelector('table')!;
  const show = (): void => {
    table.setAttribute('aria-rowcount', String(rows.length + 1));
    draw(true);
  };
  show();
  return {
    get rows() {
      return rows;
    },
    update(wish) {
      rows = orderOf(data, wish);
      frame.scrollTop = 0;
      show();
      return rows.length;
    },
    choose(row) {
      chosen = row;
      draw(true);
    },
  };
}

/** Where the row of an element stands. */
function place(element: Element): string | null {
  return element.closest('tr')?.querySelector<HTMLElement>('button[data-at]')?.dataset.at ?? null;
}
