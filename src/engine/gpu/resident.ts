/** What of a log stays on the device from one call to the next: entries of a policy set, and calls on an open log, find it there. */

import type { BlockPlan } from '../../estimate/blocks/blocks.js';
import type { EventLog } from '../../log/event-log.js';

/** Something on the device. */
export interface OnDevice {
  readonly bytes: number;
  free(): void;
}

/** Bytes that may stay on the device: what is larger goes through it chunk by chunk each time. */
const RESIDENT_BYTES = 2 ** 29;

export class Resident {
  // Weak, so that a log that nobody else holds is not kept in memory.
  private log: WeakRef<EventLog> | null = null;
  private plan: WeakRef<BlockPlan> | null = null;
  private readonly kept = new Map<string, OnDevice>();
  private bytes = 0;

  constructor(private readonly most = RESIDENT_BYTES) {}

  /** Makes room for a log under a block plan: nothing of others stays. */
  open(log: EventLog, plan: BlockPlan): void {
    if (this.log?.deref() === log && this.plan?.deref() === plan) return;
    this.close();
    this.log = new WeakRef(log);
    this.plan = new WeakRef(plan);
  }

  get(name: string): OnDevice | undefined {
    return this.kept.get(name);
  }

  /** Whether it stays; else the caller frees it. */
  keep(name: string, one: OnDevice): boolean {
    if (this.bytes + one.bytes > this.most) return false;
    this.kept.set(name, one);
    this.bytes += one.bytes;
    return true;
  }

  /** Frees all that stayed. */
  close(): void {
    for (const one of this.kept.values()) one.free();
    this.kept.clear();
    this.bytes = 0;
    this.log = null;
  }
}
