/** What `hindcast convert` did, in words. */

import type { Conversion } from '../open/convert.js';
import { plural } from '../words.js';
import { describeDropped } from './describe.js';
import { type Fact, factLines } from './facts.js';
import { bytes, count } from './numbers.js';
import { PLAIN, type Style } from './style.js';

/** A conversion as its JSON holds it. */
export interface ConversionReport extends Conversion {
  hindcast: string;
  /** The packed log. */
  out: string;
  bytes: { read: number; written: number };
}

/** A few lines: what was written, and what was dropped. */
export function conversionTable(report: ConversionReport, style: Style = PLAIN): string {
  const { events, rows, arms, pools, context, columns } = report;
  const distinct = context.distinct === null ? '' : `, ${count(context.distinct)} distinct`;
  const facts: Fact[] = [
    { label: 'packed log', text: `${report.out}, ${bytes(report.bytes.written)} from ${bytes(report.bytes.read)}` },
    {
      label: 'events',
      text: rows === null || rows === events ? count(events) : `${count(events)} of ${plural(rows, 'row')}`,
    },
    { label: 'arms', text: `${count(arms)}; ${plural(pools, 'candidate set')}` },
    { label: 'context', text: context.dimension === 0 ? 'none' : `${plural(context.dimension, 'column')}${distinct}` },
  ];
  if (columns.length > 0) facts.push({ label: 'columns', text: columns.join(', ') });
  facts.push(...describeDropped(report.badRows.map((bad) => ({ ...bad }))));
  for (const warning of report.warnings) facts.push({ label: 'warning', text: warning, warn: true });
  return `${factLines(facts, style).join('\n')}\n`;
}
