/** The label part of a VowpalWabbit line: what stands before the first `|`. */

import { badRow, shown } from '../decisions/rows.js';

/** `action:cost:probability`, of which an unobserved action lacks the last one or two. */
export interface CostLabel {
  readonly action: number;
  /** `null`: not known. */
  readonly cost: number | null;
  readonly probability: number | null;
  readonly text: string;
}

/** A label part, taken apart. */
export interface LabelPart {
  /** True for a line of shared features. */
  readonly shared: boolean;
  readonly costs: readonly CostLabel[];
  /** `''`: none. */
  readonly tag: string;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const NOT_A_NUMBER = /^[+-]?(?:nan|inf|infinity)$/i;

/** VowpalWabbit writes the largest f32 for a cost that is not known. */
const UNKNOWN_COST = Math.fround(3.4028234663852886e38);

/** A number as VowpalWabbit's text has it; NaN for the names of NaN and infinities; `null` for what is no number. */
export function numberOf(text: string): number | null {
  if (isDigit(text) || NUMBER.test(text)) return Number(text);
  return NOT_A_NUMBER.test(text) ? Number.NaN : null;
}

const NEEDED = 'action:cost:probability, e.g. 1:0.5:0.25, then a space and |';

/** A single digit, as most values are: no pattern needed. */
function isDigit(text: string): boolean {
  return text.length === 1 && text >= '0' && text <= '9';
}

/**
 * Takes a label part apart. VowpalWabbit's rules: words are separated by spaces, what stands before a tab is for other
 * programs, and a last word that touches the bar or begins with an apostrophe is the tag.
 *
 * @throws RowFault where it is no label of contextual bandits, or where those rules would silently lose one.
 */
export function parseLabelPart(part: string): LabelPart {
  // The lines of most actions.
  if (part === '') return UNLABELLED;
  let text = part;
  const tab = text.indexOf('\t');
  if (tab >= 0) {
    text = text.slice(tab + 1);
    if (looksLikeLabel(part.slice(0, tab).trim()))
      badRow({
        problem: 'tab in the label',
        got: shown(part),
        needed: NEEDED,
        hint: 'VowpalWabbit ignores all text before a tab',
      });
  }
  const words = text.split(' ').filter((word) => word !== '');
  let tag = '';
  const last = words.at(-1);
  if (last !== undefined && (last.startsWith("'") || text.endsWith(last))) {
    if (!last.startsWith("'") && words.length === 1 && looksLikeLabel(last)) {
      badRow({
        problem: 'label touches the bar',
        got: shown(`${last}|`),
        needed: NEEDED,
        hint: 'put a space before |: VowpalWabbit reads a word that touches it as a tag, and the line as unlabelled',
      });
    }
    words.pop();
    tag = last.startsWith("'") ? last.slice(1) : last;
  }
  if (words[0] === 'shared') {
    if (words.length === 1) return { shared: true, costs: [], tag };
    badRow({ problem: 'shared features with a label', got: shown(part), needed: 'shared | features' });
  }
  return { shared: false, costs: words.map(parseCost), tag };
}

const UNLABELLED: LabelPart = { shared: false, costs: [], tag: '' };

function looksLikeLabel(word: string): boolean {
  return word === 'shared' || /^\d+:/.test(word);
}

function parseCost(word: string): CostLabel {
  const [action, cost, probability, ...more] = word.split(':');
  if (!/^\d{1,9}$/.test(action) || more.length > 0) {
    badRow({ problem: 'label is not action:cost:probability', got: shown(word), needed: NEEDED });
  }
  const c = cost === undefined ? null : labelNumber('cost', cost, word);
  const p = probability === undefined ? null : labelNumber('probability', probability, word);
  const known = c !== null && Math.fround(c) !== UNKNOWN_COST;
  return { action: Number(action), cost: known ? c : null, probability: p, text: word };
}

function labelNumber(what: string, text: string, word: string): number {
  const value = numberOf(text);
  if (value !== null && Number.isFinite(value)) return value;
  return badRow({ problem: `${what} is not a finite number`, got: shown(word), needed: NEEDED });
}

/** The label with a cost and a probability; `null`: nothing was observed. @throws RowFault where there are several. */
export function observed(costs: readonly CostLabel[]): (CostLabel & { cost: number; probability: number }) | null {
  let found: (CostLabel & { cost: number; probability: number }) | null = null;
  for (const label of costs) {
    const { cost, probability } = label;
    if (cost === null || probability === null) continue;
    if (found !== null) {
      badRow({
        problem: 'more than one label with a probability',
        got: shown(`${found.text} ${label.text}`),
        needed: 'one action whose cost was observed',
      });
    }
    found = { ...label, cost, probability };
  }
  return found;
}
