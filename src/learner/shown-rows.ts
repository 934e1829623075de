/** Which feature row an event shows for each of its candidates. */

import type { EventLog } from '../log/event-log.js';

/** Reader of one replica; where no arm has versions, row a is arm a's. */
export class ShownRows {
  /** R; 0 where the log has no arm features. */
  readonly count: number;
  /** Arm of each row, length R. */
  readonly armOf: Uint32Array;
  private readonly pools: EventLog['pools'];
  private readonly rowOfEntry: Uint32Array | null;
  /** Row of each candidate of the pool loaded last, by arm. */
  private readonly current: Uint32Array;
  private loaded = -1;

  constructor({ arms, pools, armFeatures }: Pick<EventLog, 'arms' | 'pools' | 'armFeatures'>) {
    this.count = armFeatures?.rows ?? 0;
    this.pools = pools;
    this.rowOfEntry = armFeatures?.row ?? null;
    this.current = Uint32Array.from(arms.ids, (_, arm) => arm);
    this.armOf = Uint32Array.from({ length: this.count }, (_, row) => row);
    this.rowOfEntry?.forEach((row, i) => {
      this.armOf[row] = pools.arms[i];
    });
  }

  /** Turns to an event. */
  load(event: number): void {
    const { pools, rowOfEntry, current } = this;
    if (rowOfEntry === null) return;
    const pool = pools.pool === null ? 0 : pools.pool[event];
    if (pool === this.loaded) return;
    this.loaded = pool;
    for (let i = pools.offsets[pool]; i < pools.offsets[pool + 1]; i++) current[pools.arms[i]] = rowOfEntry[i];
  }

  /** Row of an arm, a candidate of the event loaded last. */
  of(arm: number): number {
    return this.current[arm];
  }
}
