/** Runs of views: consecutive events of one user with the same arm. */

import { GrowingU32 } from '../build/growing.js';
import { u32Column } from '../build/memory.js';

export class ViewRuns {
  /** First event of each run, and the run's largest steps. */
  private readonly begins = new GrowingU32();
  private readonly most = new GrowingU32();
  /** The run that each user is in, and its arm. */
  private readonly run: Int32Array;
  private readonly arm: Uint32Array;
  /** Largest steps of all. */
  largest = 0;

  constructor(users: number) {
    this.run = new Int32Array(users).fill(-1);
    this.arm = new Uint32Array(users);
  }

  get count(): number {
    return this.begins.length;
  }

  /** Takes the next view. Returns true where a run begins with it. */
  view(event: number, user: number, arm: number, steps: number): boolean {
    const { run, most } = this;
    if (steps > this.largest) this.largest = steps;
    const r = run[user];
    if (r >= 0 && this.arm[user] === arm) {
      if (steps > most.at(r)) most.set(r, steps);
      return false;
    }
    run[user] = this.count;
    this.arm[user] = arm;
    this.begins.push(event);
    most.push(steps);
    return true;
  }

  /** First event of a run. */
  first(run: number): number {
    return this.begins.at(run);
  }

  firsts(from: number, to: number): Uint32Array {
    return filled(this.begins, from, to);
  }

  /** Largest steps of runs [from, to). */
  steps(from: number, to: number): Uint32Array {
    return filled(this.most, from, to);
  }
}

function filled(values: GrowingU32, from: number, to: number): Uint32Array {
  const column = u32Column(to - from);
  for (let i = from; i < to; i++) column[i - from] = values.at(i);
  return column;
}
