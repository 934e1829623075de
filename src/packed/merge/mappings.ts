/** Packed logs whose columns came to them otherwise: what values are made of must be the same, the rest is told. */

import type { LogSource } from '../../log/event-log.js';
import { listNames } from '../../names/order.js';
import type { PackedFile } from '../packed-file.js';
import { nonEmpty, unlike } from './parts.js';

/** Columns that values are made of: under another name they are another quantity, for all that a file tells. */
const OF_VALUES = ['arm', 'payoff', 'propensity'] as const;

/** @throws InputError where one log's arms, payoffs or propensities are another column than the other's. */
export function checkQuantities(files: readonly PackedFile[]): void {
  const [first, ...others] = nonEmpty(files);
  for (const file of others) {
    for (const column of OF_VALUES) {
      const [a, b] = [first, file].map((one) => sourceOf(one).mapping?.[column]);
      if (a === undefined || b === undefined || a === b) continue;
      throw unlike(files, {
        file: file.name,
        problem: `the ${column} of this packed log is another column than that of ${first.name}`,
        got: JSON.stringify(b),
        needed: `${JSON.stringify(a)}: values over both would mix two quantities`,
        hint: 'evaluate each log by itself; where both are the same quantity, give the column one name in the original files and convert them again',
      });
    }
    const [a, b] = [first, file].map((one) => sourceOf(one).options?.armId);
    if (a === b) continue;
    throw unlike(files, {
      file: file.name,
      problem: `the arms of this packed log are called otherwise than those of ${first.name}`,
      got: armIds(b),
      needed: armIds(a),
      hint: 'convert the original files with the same --arm-id (in code: armId)',
    });
  }
}

function armIds(armId: unknown): string {
  return armId === undefined ? 'by their positions' : `by ${JSON.stringify(armId)}`;
}

/** What the mappings of files say otherwise, as a warning of the log of all; none where they are the same. */
export function mappingWarnings(files: readonly PackedFile[]): string[] {
  const [first, ...others] = nonEmpty(files);
  for (const file of others) {
    const [a, b] = [first, file].map((one) => sourceOf(one).mapping);
    if (JSON.stringify(a) === JSON.stringify(b)) continue;
    const parts = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])];
    const differing = parts.filter((part) => JSON.stringify(a?.[part]) !== JSON.stringify(b?.[part]));
    const what =
      a === undefined || b === undefined
        ? `${(a === undefined ? first : file).name} has none`
        : differing
            .map((part) => `${part} (${short(a[part])} in ${first.name}, ${short(b[part])} in ${file.name})`)
            .join(', ');
    return [
      `the packed logs were made with different mappings, so that the result names none: ${what === '' ? 'the order of their parts' : what}; it is one log only if these mean the same`,
    ];
  }
  return [];
}

/** Characters of a part of a mapping that are shown. */
const SHOWN = 60;

function short(part: unknown): string {
  if (part === undefined) return 'none';
  const text =
    Array.isArray(part) && part.every((one) => typeof one === 'string') ? listNames(part) : JSON.stringify(part);
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
}

function sourceOf({ header }: PackedFile): LogSource {
  return header.source as LogSource;
}
