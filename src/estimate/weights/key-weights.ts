/**
 * Do the logged propensities agree with the candidates wherever a key column has a value? Whatever policy logged the events, 1/p_t is on
 * average the number of candidates, in every part of the log that contexts tell apart. And are there arms that one value of a key never
 * shows, though the log as a whole does?
 */

import type { Archive, Carried } from '../../archive.js';
import { plural } from '../../words.js';
import type { EventNumbers, KeyLevels } from '../event-numbers.js';
import { zScore } from '../interval/z-score.js';

/** A right log is accused with this probability, by all values together: that of |z| > 4. */
const FALSE_ALARM = 6.3e-5;
/** Keys of more values, or cells, have too few events in each. */
const MOST_LEVELS = 1000;
const MOST_CELLS = 2 ** 20;
/** An arm is missed where, as often as it is shown elsewhere, so many events would show it: else it may be chance, e⁻²⁰. */
const MISSED = 20;
/** Values named in a warning. */
const NAMED = 3;

/** Sums of one key column, by its levels. */
class KeySums {
  readonly events: Float64Array;
  /** Σ 1/p, Σ |A|, Σ (1/p − |A|)² */
  readonly weights: Float64Array;
  readonly candidates: Float64Array;
  readonly spread: Float64Array;
  /** Events that show and that offer an arm, [levels, K]; empty where these are too many. */
  readonly shown: Float64Array;
  readonly offered: Float64Array;

  constructor(
    readonly levels: readonly string[],
    readonly arms: number,
  ) {
    const sums = (length: number): Float64Array => new Float64Array(length);
    const n = levels.length;
    [this.events, this.weights, this.candidates, this.spread] = [sums(n), sums(n), sums(n), sums(n)];
    const cells = n * arms <= MOST_CELLS ? n * arms : 0;
    [this.shown, this.offered] = [sums(cells), sums(cells)];
  }

  get all(): Float64Array[] {
    return [this.events, this.weights, this.candidates, this.spread, this.shown, this.offered];
  }
}

export class KeyWeights implements Carried {
  private readonly sums = new Map<string, KeySums>();

  /** @param keys of the log, whose levels are those of all its batches. */
  constructor(
    private readonly arms: EventNumbers['arms'],
    keys: ReadonlyMap<string, KeyLevels> = new Map(),
  ) {
    for (const [name, { levels }] of keys)
      if (levels.length > 1 && levels.length <= MOST_LEVELS) this.sums.set(name, new KeySums(levels, arms.ids.length));
  }

  add({ events, arm, propensity, pools, keys }: EventNumbers): void {
    const { offsets, arms, pool } = pools;
    for (const [name, sums] of this.sums) {
      const code = keys?.get(name)?.code;
      if (code === undefined) continue;
      for (let t = 0; t < events; t++) {
        const level = code[t];
        const set = pool === null ? 0 : pool[t];
        const candidates = offsets[set + 1] - offsets[set];
        const weight = 1 / (propensity?.[t] ?? Number.NaN);
        sums.events[level]++;
        sums.weights[level] += weight;
        sums.candidates[level] += candidates;
        sums.spread[level] += (weight - candidates) ** 2;
        if (sums.shown.length === 0) continue;
        const at = level * sums.arms;
        sums.shown[at + arm[t]]++;
        for (let i = offsets[set]; i < offsets[set + 1]; i++) sums.offered[at + arms[i]]++;
      }
    }
  }

  warnings(): string[] {
    return [...this.oddLevels(), ...this.missedArms()];
  }

  private oddLevels(): string[] {
    const all = [...this.sums].flatMap(([name, sums]) => sums.levels.map((level, i) => ({ name, sums, level, i })));
    const most = zScore(FALSE_ALARM / Math.max(1, all.length));
    const odd = all.flatMap(({ name, sums, level, i }) => {
      const [events, weight, due] = [sums.events[i], sums.weights[i], sums.candidates[i]];
      if (events < 2 || weight === due) return [];
      const z = (weight - due) / Math.sqrt(Math.max(0, sums.spread[i] - (weight - due) ** 2 / events));
      // Means that are too small prove nothing: the heavy weights of arms that are hardly ever shown may have failed to occur.
      if (!(z > most)) return [];
      return [
        {
          z,
          text: `${name} ${JSON.stringify(level)}: ${digits(weight / events)}, while ${digits(due / events)} are offered`,
        },
      ];
    });
    if (odd.length === 0) return [];
    odd.sort((a, b) => b.z - a.z);
    return [
      `the mean of 1/propensity is on average the number of candidates, whatever the event; here it is more where ${some(odd.map(({ text }) => text))}. These events have other propensities, and values that rest on them are wrong`,
    ];
  }

  private missedArms(): string[] {
    const missed = [...this.sums].flatMap(([name, { levels, arms, shown, offered }]) => {
      const total = (of: Float64Array, arm: number): number =>
        levels.reduce((sum, _, level) => sum + of[level * arms + arm], 0);
      if (shown.length === 0) return [];
      return this.arms.ids.flatMap((id, arm) => {
        const rate = total(shown, arm) / Math.max(1, total(offered, arm));
        return levels.flatMap((level, l) => {
          const [own, most] = [shown[l * arms + arm], offered[l * arms + arm]];
          return own > 0 || most * rate < MISSED
            ? []
            : [`${JSON.stringify(id)} where ${name} is ${JSON.stringify(level)}, of ${plural(most, 'event')}`];
        });
      });
    });
    if (missed.length === 0) return [];
    return [
      `arms were never logged in some places that offer them: ${some(missed)}. Nothing is known of policies that choose them there: ips counts 0, snips leaves these events out, and what goes by a model takes its word for them`,
    ];
  }

  carry(archive: Archive): void {
    for (const sums of this.sums.values()) for (const column of sums.all) archive.array(column);
  }
}

const digits = (value: number): string => String(Number(value.toPrecision(3)));

function some(texts: readonly string[]): string {
  return `${texts.slice(0, NAMED).join('; ')}${texts.length > NAMED ? `; and ${texts.length - NAMED} more` : ''}`;
}
