/** Which kind of VowpalWabbit text a file holds, told by its beginning. */

import type { Head } from '../../files/files.js';

/** One event per line, or a line per action. */
export type VwKind = 'cb' | 'adf';

/** Label parts of contextual bandits: `shared`, costs, a tag; nothing. */
const LABEL_PART = /^ *(?:shared +|(?:\d+(?::[-+.\deE]+){0,2} +)*)(?:'[^\s|]* *|[^\s|:]*)$/;
const OBSERVED = /(?:^| )\d+:[-+.\deE]+:[-+.\deE]+ /;
const ZERO_ACTION = /(?:^| )0+:/;

interface Seen {
  /** A line of shared features, or a label of the action 0. */
  adf: boolean;
  /** Observed labels. */
  observed: number;
  /** Of a run of lines without an empty one: lines, and observed labels; the most found. */
  mostLines: number;
  mostObserved: number;
}

/** What the beginning of a file says, and whether it could be otherwise. */
export interface Sniffed {
  readonly kind: VwKind;
  readonly sure: boolean;
}

/** `null`: nothing in it says that it is such text at all. */
export function vwKind(head: Head): Sniffed | null {
  const seen = look(head);
  if (seen === null || !(seen.adf || seen.observed > 0)) return null;
  if (seen.adf) return { kind: 'adf', sure: true };
  // Actions of an event have at most one label among them.
  if (seen.mostObserved > 1) return { kind: 'cb', sure: true };
  return { kind: seen.mostLines > 1 ? 'adf' : 'cb', sure: false };
}

/** `null`: the first line is no example of contextual bandits. */
function look(head: Head): Seen | null {
  const lines = head.bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split('\n');
  // A line that the head cuts says nothing, unless there is no other.
  if (!head.whole && lines.length > 1) lines.pop();
  const seen: Seen = { adf: false, observed: 0, mostLines: 0, mostObserved: 0 };
  let run = 0;
  let observed = 0;
  let first = true;
  for (const line of lines) {
    const text = line.replace(/\r$/, '');
    if (text.trim() === '') {
      run = 0;
      observed = 0;
      continue;
    }
    const bar = text.indexOf('|');
    const label = text.slice(0, Math.max(0, bar)).replace(/^[^|]*\t/, '');
    if (first && (bar < 0 || bar > 65536 || !LABEL_PART.test(label))) return null;
    first = false;
    run++;
    if (OBSERVED.test(label)) {
      observed++;
      seen.observed++;
    }
    if (label.startsWith('shared ') || ZERO_ACTION.test(label)) seen.adf = true;
    seen.mostLines = Math.max(seen.mostLines, run);
    seen.mostObserved = Math.max(seen.mostObserved, observed);
  }
  return first ? null : seen;
}
