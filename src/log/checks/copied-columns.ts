/**
 * Columns that policies see and that give the payoff or the logged arm away: copies under another name, and columns each value of which goes
 * with one payoff (one arm) only, where that cannot be chance.
 */

import lgamma from '@stdlib/math-base-special-gammaln';
import type { Archive, Carried } from '../../archive.js';
import { totalPayoff } from '../../estimate/sums/payoff-scale.js';
import { plural } from '../../words.js';
import type { EventLog } from '../event-log.js';
import { planContexts } from './uniform/context-factors.js';

/** Bits by which chance is ruled out. */
const SURE = 30;
/** Events after which a column must repeat its values, at least every other time, to be looked at any longer. */
const TRIAL = 1024;
/** Values of a column beyond which it is not looked at any longer. */
const MOST_VALUES = 2 ** 16;
/** Texts of a warning. */
const SPELT_OUT = 3;

type Target = 'payoff' | 'arm';

/** A column and what it may give away. */
interface Pair {
  readonly name: string;
  readonly use: 'context' | 'key';
  readonly target: Target;
  /** Value at event t of a batch. */
  readonly reader: (log: EventLog) => (t: number) => number;
  /** A value as the log has it. */
  readonly text: (value: number) => string;
  /** Payoff (steps) or arm that goes with each value; `null`: several do. */
  of: Map<number, number> | null;
}

export class CopiedColumns implements Carried {
  private readonly pairs: readonly Pair[];
  private readonly counts: Readonly<Record<Target, Map<number, number>>> = { payoff: new Map(), arm: new Map() };
  private seen = 0;

  /** @param head the log, or its head. */
  constructor(private readonly head: EventLog) {
    const { contexts, keys } = head;
    const columns: Pick<Pair, 'name' | 'use' | 'reader' | 'text'>[] = [];
    const plan = planContexts(contexts, Number.POSITIVE_INFINITY);
    for (const { name, from, to } of plan.oneHot) {
      const reader: Pair['reader'] = ({ contexts: { row, values, dimension } }) => {
        return (t) => {
          const base = (row === null ? t : row[t]) * dimension;
          let j = from;
          while (j < to && values[base + j] === 0) j++;
          return j;
        };
      };
      const text = (j: number): string => contexts.columns[j]?.slice(name.length + 1) ?? '';
      columns.push({ name, use: 'context', reader, text });
    }
    for (const j of plan.numeric) {
      const reader: Pair['reader'] = ({ contexts: { row, values, dimension } }) => {
        return (t) => values[(row === null ? t : row[t]) * dimension + j];
      };
      columns.push({ name: contexts.columns[j], use: 'context', reader, text: String });
    }
    for (const [name, { levels }] of keys) {
      const reader: Pair['reader'] = (log) => {
        const { code } = log.keys.get(name) ?? { code: [] };
        return (t) => code[t];
      };
      columns.push({ name, use: 'key', reader, text: (code) => levels[code] });
    }
    const targets = ['payoff', 'arm'] as const;
    this.pairs = columns.flatMap((column) => targets.map((target): Pair => ({ ...column, target, of: new Map() })));
  }

  /** Payoffs make no difference any more. */
  get decided(): boolean {
    return this.pairs.every(({ target, of }) => target !== 'payoff' || of === null);
  }

  /** Batches come in the order of the log; they may be without payoffs where `decided`. */
  add(log: EventLog): this {
    const { seen } = this;
    const { arm, events } = log;
    const { steps } = log.payoff;
    for (const pair of this.pairs) {
      const targets = pair.target === 'arm' ? arm : steps;
      if (pair.of !== null && targets.length < events) pair.of = null;
      if (pair.of !== null) follow(pair, pair.of, pair.reader(log), targets, events, seen);
    }
    this.seen += events;
    for (const target of ['payoff', 'arm'] as const) {
      if (!this.pairs.some((pair) => pair.target === target && pair.of !== null)) continue;
      const counts = this.counts[target];
      for (const value of target === 'arm' ? arm : steps) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return this;
  }

  /** What results say of them. */
  warnings(): string[] {
    const { pairs, seen, head } = this;
    const { columns } = head.source;
    return (['payoff', 'arm'] as const).flatMap((target) => {
      const given = pairs.filter((pair) => pair.target === target && pair.of !== null && this.isSure(pair, pair.of));
      if (given.length === 0) return [];
      const what = `${target === 'arm' ? 'logged arm' : 'payoff'}${columns === undefined ? '' : ` (column ${JSON.stringify(columns[target])})`}`;
      const texts = given.slice(0, SPELT_OUT).map((pair) => {
        const column = `${pair.use} ${JSON.stringify(pair.name)}`;
        return this.isCopy(pair)
          ? `${column} is a copy of the ${what}: it is the same at all ${plural(seen, 'event')}`
          : `${column} gives the ${what} away: at all ${plural(seen, 'event')} each of its ${plural(pair.of?.size ?? 0, 'value')} goes with one ${target} only`;
      });
      const more =
        given.length > SPELT_OUT
          ? `; and ${plural(given.length - SPELT_OUT, 'more column')} ${given.length === SPELT_OUT + 1 ? 'does' : 'do'}`
          : '';
      const why =
        target === 'payoff'
          ? 'a policy that sees what is known only after the decision wins by looking at the answer'
          : 'a policy that sees the logged arm matches every event';
      return [
        `${texts.join('; ')}${more}; that cannot be chance, and ${why}: leave such columns out unless they are known before the decision`,
      ];
    });
  }

  /**
   * Of all ways to order the payoffs (arms) of the log, at most m^G leave each of G values with one of the m payoffs.
   */
  private isSure({ target }: Pair, { size }: Map<number, number>): boolean {
    const counts = [...this.counts[target].values()];
    let orders = lgamma(this.seen + 1);
    for (const count of counts) orders -= lgamma(count + 1);
    const bits = orders / Math.LN2 - size * Math.log2(Math.max(1, counts.length));
    return bits > SURE + Math.log2(this.pairs.length);
  }

  private isCopy({ of, target, text }: Pair): boolean {
    const { payoff, arms } = this.head;
    return [...(of ?? [])].every(([value, to]) =>
      target === 'arm' ? text(value) === arms.ids[to] : Number(text(value)) === totalPayoff(payoff.scale, 1, to),
    );
  }

  carry(archive: Archive): void {
    this.seen = archive.number(this.seen);
    for (const pair of this.pairs) {
      const alive = archive.flag(pair.of !== null);
      if (alive) pair.of = carried(archive, pair.of ?? new Map());
      else pair.of = null;
    }
    for (const target of ['payoff', 'arm'] as const) {
      const counts = carried(archive, this.counts[target]);
      if (!archive.reading) continue;
      this.counts[target].clear();
      for (const [value, count] of counts) this.counts[target].set(value, count);
    }
  }
}

/** Goes on with a column, until a value goes with a second target. */
function follow(
  pair: Pair,
  of: Map<number, number>,
  read: (t: number) => number,
  targets: Uint32Array,
  events: number,
  seen: number,
): void {
  for (let t = 0; t < events; t++) {
    const value = read(t);
    const target = of.get(value);
    if (target === undefined) {
      of.set(value, targets[t]);
      if (of.size <= TRIAL / 2) continue;
      if (of.size <= MOST_VALUES && 2 * of.size <= seen + t) continue;
    } else if (target === targets[t]) continue;
    pair.of = null;
    return;
  }
}

function carried(archive: Archive, map: Map<number, number>): Map<number, number> {
  const entries = archive.list(Float64Array.from([...map].flat()));
  const result = new Map<number, number>();
  for (let i = 0; i < entries.length; i += 2) result.set(entries[i], entries[i + 1]);
  return archive.reading ? result : map;
}
