/** What the readers of examples with features and costs are told: checked, and compiled. */

import { InputError } from '../../errors.js';
import { checkedRange } from '../../log/build/rules.js';
import type { PayoffFromCost } from '../../log/event-log.js';
import type { ReadOptions } from '../../log/read-options.js';
import { listNames } from '../../names/order.js';
import { anyPattern, type Pattern, pattern } from './patterns.js';

/** Columns that each of contexts and actions may have, unless told otherwise. */
export const FEATURE_LIMIT = 1000;

/** Options of `ReadOptions` that such a reader takes beside those of all readers. */
export const DECISION_OPTIONS = ['features', 'featureLimit', 'armId', 'payoffFromCost'] as const;

/** Where an action's arm id comes from: its place (1-based), its tag, or what `*` stands for in one of its features. */
export type ArmIdSource =
  | { readonly kind: 'position' }
  | { readonly kind: 'tag' }
  | { readonly kind: 'feature'; readonly fits: Pattern; readonly text: string };

/** Checked options. */
export interface DecisionOptions {
  readonly isColumn: (name: string) => boolean;
  readonly featureLimit: number;
  readonly armId: ArmIdSource;
  readonly payoffFromCost: PayoffFromCost;
  readonly payoffRange: readonly [number, number] | undefined;
  readonly arms: readonly (string | number)[] | undefined;
  readonly keys: readonly string[];
}

/** A payoff is what a cost is not: the default. */
const MINUS_COST: PayoffFromCost = { scale: -1, offset: 0 };

/** @throws InputError for an option that the format does not have, or a value out of range. */
export function decisionOptions(format: string, options: ReadOptions): DecisionOptions {
  refuse(format, 'a mapping', options.mapping !== undefined, 'its lines say themselves what is what');
  const filters = options.where !== undefined && options.where.trim() !== '';
  refuse(format, 'option where', filters, 'it has no columns that SQL could name; filter the file beforehand');
  const { featureLimit = FEATURE_LIMIT, payoffFromCost = MINUS_COST } = options;
  if (!Number.isSafeInteger(featureLimit) || featureLimit < 0) {
    throw invalid('featureLimit', String(featureLimit), 'a whole number of columns');
  }
  const { scale, offset } = payoffFromCost;
  if (!(Number.isFinite(scale) && Number.isFinite(offset) && scale !== 0)) {
    throw invalid('payoffFromCost', JSON.stringify(payoffFromCost), 'finite numbers { scale, offset }, scale not 0');
  }
  return {
    isColumn: anyPattern('features', options.features),
    featureLimit,
    armId: armIdSource(options.armId),
    payoffFromCost: { scale, offset },
    payoffRange: checkedRange(options.payoffRange),
    arms: options.arms,
    keys: options.keys ?? [],
  };
}

function refuse(format: string, what: string, given: boolean, why: string): void {
  if (!given) return;
  throw new InputError({
    problem: `${what} does not go with the format ${format}`,
    needed: `${format} without it: ${why}`,
  });
}

function armIdSource(text: string | undefined): ArmIdSource {
  if (text === undefined) return { kind: 'position' };
  if (text === 'tag') return { kind: 'tag' };
  if (typeof text === 'string' && text.split('*').length === 2) return { kind: 'feature', fits: pattern(text), text };
  throw invalid('armId', JSON.stringify(text), "tag, or a feature's name with one *, which stands for the id");
}

function invalid(option: string, got: string, needed: string): InputError {
  return new InputError({ problem: `option ${option} is not valid`, got, needed });
}

/** Refuses options that only some formats take, where the log's format is none of them. */
export function refuseDecisionOptions(
  options: ReadOptions,
  takes: readonly string[],
  formats: readonly string[],
): void {
  const given = ([...DECISION_OPTIONS, 'dropRepeatedEvents'] as const).find(
    (name) => options[name] !== undefined && options[name] !== false && !takes.includes(name),
  );
  if (given === 'dropRepeatedEvents' && options.mapping?.eventId !== undefined) return;
  if (given === undefined) return;
  throw new InputError({
    problem: `option ${given} does not go with this format`,
    needed: `a log of the format ${given === 'dropRepeatedEvents' ? 'dsjson, whose events have an EventId, or a mapping that names the column of such ids: --event-id COLUMN (eventId in a mapping)' : listNames(formats)}`,
    hint: 'leave the option out, or name the format with --log-format',
  });
}
