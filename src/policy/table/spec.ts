/**
 * Table policies: an arm per value of key columns, or per period of time (the paper's serving policy).
 *
 *     { "family": "table", "keys": ["segment"],
 *       "tables": [{ "name": "by segment", "choices": { "new": "7", "loyal": "12" }, "default": "3" }] }
 *
 *     { "family": "table", "keys": ["segment", "device"],
 *       "tables": [{ "rows": [{ "when": { "segment": "new", "device": "phone" }, "arm": "7" }] }] }
 *
 *     { "family": "table", "period": "5m", "origin": "2009-05-01T00:00:00Z",
 *       "tables": [{ "arms": ["7", "7", null, "12"] }, { "choices": { "2009-05-01T00:05:00Z": "7" } }] }
 */

import { z } from 'zod';
import { recordOf } from '../../options/record-of.js';
import { epsilon } from '../drawn/entry.js';
import { armId, family, keyValue, strict } from '../spec-faults.js';
import { parsePeriod, parseTime } from './time.js';

const time = z
  .string()
  .refine((text) => parseTime(text) !== null, { error: 'not an ISO 8601 time, such as 2009-05-01T00:05:00Z' });

const period = z
  .union([z.string(), z.number()])
  .refine((value) => parsePeriod(value) !== null, { error: 'not a period: "5m", "1h", "1d", or whole milliseconds' });

const row = strict({
  when: recordOf(keyValue).describe('A value for each of the keys'),
  arm: armId,
});

const table = strict({
  name: z.string().optional().describe('Name of the policy'),
  choices: recordOf(armId).optional().describe('Value of the key, or start of the period, to arm id'),
  rows: z.array(row).min(1).optional().describe('For several keys: a list of value combinations'),
  arms: z.array(armId.nullable()).min(1).optional().describe('Arm of each period from the origin on; null: none'),
  default: armId.optional().describe('Arm where the table has none; without it, nothing matches there'),
});

export type TableRows = z.output<typeof table>;

export const tableSchema = strict({
  family: family('table'),
  keys: z.array(z.string()).min(1).optional().describe('Log columns that are looked up by value'),
  period: period.optional().describe('Length of a period: "5m", "1h", "1d", or milliseconds'),
  origin: time.optional().describe('Start of the first period; default: the last whole period at or before the log'),
  tables: z.array(table).min(1).describe('One policy each'),
  epsilon,
})
  .superRefine((spec, context) => {
    const fault = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    if ((spec.keys === undefined) === (spec.period === undefined)) fault([], 'a table needs either keys or period');
    if (spec.origin !== undefined && spec.period === undefined) fault(['origin'], 'origin needs period');
    if (new Set(spec.keys).size !== (spec.keys?.length ?? 0)) fault(['keys'], 'a key is listed twice');
    const forms =
      spec.period !== undefined ? ['choices', 'arms'] : spec.keys?.length === 1 ? ['choices', 'rows'] : ['rows'];
    spec.tables.forEach((one, i) => {
      const given = (['choices', 'rows', 'arms'] as const).filter((form) => one[form] !== undefined);
      if (given.length !== 1 || !forms.includes(given[0])) {
        const by =
          spec.period !== undefined ? 'by period' : spec.keys?.length === 1 ? 'with one key' : 'with several keys';
        const got = given.length === 0 ? 'none of them' : given.join(' and ');
        fault(['tables', i], `a table ${by} takes ${forms.join(' or ')}; this one has ${got}`);
      }
      one.rows?.forEach((entry, r) => {
        const named = Object.keys(entry.when);
        if (named.length !== spec.keys?.length || named.some((key) => !spec.keys?.includes(key))) {
          fault(
            ['tables', i, 'rows', r, 'when'],
            `when must give each of the keys ${spec.keys?.join(', ')}; this one gives ${named.join(', ') || 'none'}`,
          );
        }
      });
    });
  })
  .describe('An arm per value of key columns or per period of time; one policy per table');

export interface TableSpec extends z.output<typeof tableSchema> {}
