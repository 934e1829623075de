/** Lines that the script of a page can draw when a row is chosen. */

import type { Report } from './model.js';
import { type Course, courseOf, soFar, valuesOf } from './series.js';
import type { TableData } from './table/cells.js';

/** Rows that have lines to be chosen from: all would be most of the page. */
const MOST_ROWS = 200;
/** Digits of a point: more than can be seen. */
const DIGITS = 5;

/** By the names of pictures. */
export function seriesOf(report: Report): TableData['series'] {
  const [course, whole] = [courseOf(report), courseOf(report, true)];
  const known = report.rows.filter(({ blocks }) => blocks !== null).slice(0, MOST_ROWS);
  if (course === null || whole === null || known.length === 0) return {};
  const ends = whole.stretches.map(({ end }) => end);
  const rows = (of: typeof valuesOf, over: Course): Record<string, (number | null)[]> =>
    Object.fromEntries(
      known.flatMap(({ index, blocks }) =>
        blocks === null
          ? []
          : [[String(index), of(blocks, over).map((y) => (y === null ? null : Number(y.toPrecision(DIGITS))))]],
      ),
    );
  return {
    'over-time': { x: course.x, rows: rows(valuesOf, course) },
    convergence: { x: ends, rows: rows(soFar, whole) },
  };
}
