/** What engines did in a run: now, and before it was interrupted. */

import type { Archive } from '../archive.js';
import type { EngineReport, LaneUse } from '../engine/contract.js';

/** An engine that may have taken over from another. */
export interface ReportingEngine {
  readonly report: EngineReport;
  /** Why it did; `null`: it did not. */
  readonly fallback: string | null;
}

/** The part of a report that adds up. */
interface Done extends Pick<EngineReport, 'settledOnCpu' | 'decisions' | 'seconds'> {
  readonly lanes: LaneUse | null;
  readonly inGroups: number | null;
  readonly fallback: string | null;
}

const NOTHING: Done = { settledOnCpu: 0, decisions: 0, seconds: 0, lanes: null, inGroups: null, fallback: null };

export class EngineWork {
  /** `null`: it has not begun. */
  engine: ReportingEngine | null = null;
  private before: Done = NOTHING;

  /** Forgets what was done before: another engine begins anew. */
  restart(): void {
    this.before = NOTHING;
  }

  /** The engine's report, with what was done before. */
  report(engine: ReportingEngine): EngineReport & { fallback: string | null } {
    const { lanes, inGroups, ...done } = this.done();
    return {
      ...engine.report,
      ...done,
      ...(lanes === null ? {} : { lanes }),
      ...(inGroups === null ? {} : { inGroups }),
    };
  }

  private done(): Done {
    const { before, engine } = this;
    if (engine === null) return before;
    const { settledOnCpu, decisions, seconds, lanes, inGroups } = engine.report;
    return {
      settledOnCpu: before.settledOnCpu + settledOnCpu,
      decisions: before.decisions + decisions,
      seconds: before.seconds + seconds,
      lanes: lanes === undefined ? null : addLanes(lanes, before.lanes),
      inGroups: inGroups === undefined ? before.inGroups : inGroups + (before.inGroups ?? 0),
      fallback: engine.fallback ?? before.fallback,
    };
  }

  carry(archive: Archive): void {
    const done = JSON.parse(archive.text(JSON.stringify(this.done()))) as Done;
    if (archive.reading) this.before = done;
  }
}

function addLanes(a: LaneUse, b: LaneUse | null): LaneUse {
  if (b === null) return a;
  return {
    events: a.events + b.events,
    slots: a.slots + b.slots,
    looks: a.looks + b.looks,
    settled: a.settled + b.settled,
  };
}
