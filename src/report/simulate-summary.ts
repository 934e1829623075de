/** What a simulated log holds, for people. */

import { plural } from '../words.js';
import { factLines } from './facts.js';
import { count } from './numbers.js';

export interface SimulateSummary {
  readonly events: number;
  readonly kind: 'r6a' | 'r6b';
  readonly days: number;
  /** Over all days, and the pages that they make. */
  readonly articles: number;
  readonly pages: number;
  readonly files: readonly string[];
  /** How often a reader will count what, by its name of the kind. */
  readonly faults: readonly (readonly [kind: string, count: number])[];
}

/** Text of at most 80 columns. */
export function simulateSummary({ events, kind, days, articles, pages, files, faults }: SimulateSummary): string {
  const users = kind === 'r6a' ? '6 user features' : '136 user features';
  return factLines([
    { label: 'simulated', text: `${plural(events, 'visit')} in ${plural(days, 'day')}, ${users}` },
    { label: 'articles', text: `${count(articles)} on ${plural(pages, 'page')}` },
    ...files.map((text) => ({ label: 'written', text })),
    ...faults.map(([fault, times]) => ({ label: 'fault', text: `${fault}: ${count(times)}` })),
  ]).join('\n');
}
