import type { Archive, Carried } from '../../archive.js';
import type { EventLog } from '../event-log.js';

/** L / Σ 1/|A_t|: the number of arms as matches see it, so that L over it is the matches to expect. */
export function effectiveArms(log: EventLog): number {
  return new EffectiveArms().add(log).value(log);
}

/** Matches of a policy that chooses among the candidates and does not know the logged arms. */
export interface DueMatches {
  /** L */
  readonly events: number;
  /** Σ 1/|A_t| */
  readonly due: number;
  /** Σ (1/|A_t|)(1 − 1/|A_t|) */
  readonly variance: number;
}

/** The same, batch by batch; the sum has the same rounding for any batches. */
export class EffectiveArms implements Carried {
  private events = 0;
  private expected = 0;
  /** Σ 1/|A_t|² */
  private squares = 0;

  /** @param only these events of the batch, ascending; absent: all. */
  add({ events, pools }: Pick<EventLog, 'events' | 'pools'>, only?: Uint32Array): this {
    const { pool, offsets } = pools;
    const count = only?.length ?? events;
    this.events += count;
    if (pool === null) return this;
    const inverse = Float64Array.from({ length: pools.count }, (_, s) => 1 / (offsets[s + 1] - offsets[s]));
    let { expected, squares } = this;
    for (let i = 0; i < count; i++) {
      const p = inverse[pool[only === undefined ? i : only[i]]];
      expected += p;
      squares += p * p;
    }
    this.expected = expected;
    this.squares = squares;
    return this;
  }

  /** @param log the whole log, or its head. */
  value({ arms, pools }: Pick<EventLog, 'arms' | 'pools'>): number {
    if (this.events === 0) return Math.max(1, arms.ids.length);
    return pools.pool === null ? pools.offsets[1] - pools.offsets[0] : this.events / this.expected;
  }

  /** @param log the whole log, or its head. */
  matches({ pools }: Pick<EventLog, 'pools'>): DueMatches {
    const { events, expected, squares } = this;
    if (pools.pool !== null) return { events, due: expected, variance: expected - squares };
    const p = 1 / (pools.offsets[1] - pools.offsets[0]);
    return { events, due: events * p, variance: events * p * (1 - p) };
  }

  carry(archive: Archive): void {
    this.events = archive.number(this.events);
    this.expected = archive.number(this.expected);
    this.squares = archive.number(this.squares);
  }
}
