/** Warnings of what all of a log's events are together: payoffs that are all the same, rows that are there again, columns that give the answer away. */

import { namedEvents, repeatedWarnings } from '../../log/checks/repeated-warnings.js';
import type { LogStream } from '../../log/stream.js';
import type { Survey } from '../survey.js';
import { rowOf } from './order-warnings.js';

/** @throws what the stream throws. */
export async function contentWarnings(stream: LogStream, { repeated, copied, constant }: Survey): Promise<string[]> {
  const rows = new Map<number, number>();
  for (const event of namedEvents(repeated)) rows.set(event, await rowOf(stream, event));
  return [
    ...constant.warnings(),
    ...copied.warnings(),
    ...repeatedWarnings(repeated, (event) => rows.get(event) ?? event),
  ];
}
