/** What engines did in a run: now, and before it was interrupted. */

import type { Archive } from '../archive.js';
import type { EngineReport, LaneUse } from '../engine/contract.js';

/** An engine that may have taken over from another. */
export interface ReportingEngine {
  readonly report: EngineReport;
  /** Why it did; `null`: it did not. */
  readonly fallback: string | null;
}

/** What an engine did for a part of a run, elsewhere. */
export interface PartWork extends Pick<EngineReport, 'device' | 'adapter' | 'threads' | 'onCpu'> {
  readonly done: Done;
}

/** The part of a report that adds up. */
export interface Done extends Pick<EngineReport, 'settledOnCpu' | 'decisions' | 'seconds'> {
  readonly lanes: LaneUse | null;
  readonly inGroups: number | null;
  readonly fallback: string | null;
}

const NOTHING: Done = { settledOnCpu: 0, decisions: 0, seconds: 0, lanes: null, inGroups: null, fallback: null };

export class EngineWork {
  /** `null`: it has not begun. */
  engine: ReportingEngine | null = null;
  private before: Done = NOTHING;
  private readonly elsewhere: PartWork[] = [];

  /** Forgets what was done before: another engine begins anew. */
  restart(): void {
    this.before = NOTHING;
  }

  /** The engine's report, with what was done before. */
  report(engine: ReportingEngine): EngineReport & { fallback: string | null } {
    const { lanes, inGroups, ...done } = this.done();
    return {
      ...engine.report,
      ...this.whereParts(),
      ...done,
      ...(lanes === null ? {} : { lanes }),
      ...(inGroups === null ? {} : { inGroups }),
    };
  }

  /** All that was done here, for another run of which this is a part. */
  told({ report: { device, adapter, threads, onCpu } }: ReportingEngine): PartWork {
    return { device, adapter, threads, done: this.done(), ...(onCpu === undefined ? {} : { onCpu }) };
  }

  /** Takes what was done elsewhere as done before. */
  addElsewhere(part: PartWork): void {
    this.elsewhere.push(part);
    this.before = added(part.done, this.before);
  }

  /** Where parts were worked on; nothing where there are none. */
  private whereParts(): Partial<EngineReport> {
    const { elsewhere } = this;
    if (elsewhere.length === 0) return {};
    const onCpu = [...new Set(elsewhere.flatMap((part) => part.onCpu ?? []))];
    return {
      ...(onCpu.length === 0 ? {} : { onCpu }),
      device: elsewhere.some(({ device }) => device === 'gpu') ? 'gpu' : 'cpu',
      adapter: [...new Set(elsewhere.map(({ adapter }) => adapter))].join(', '),
      threads: Math.max(...elsewhere.map(({ threads }) => threads)),
      parts: elsewhere.length,
    };
  }

  private done(): Done {
    const { before, engine } = this;
    if (engine === null) return before;
    const { settledOnCpu, decisions, seconds, lanes = null, inGroups = null } = engine.report;
    return added({ settledOnCpu, decisions, seconds, lanes, inGroups, fallback: engine.fallback }, before);
  }

  carry(archive: Archive): void {
    const done = JSON.parse(archive.text(JSON.stringify(this.done()))) as Done;
    if (archive.reading) this.before = done;
  }
}

function added(now: Done, before: Done): Done {
  return {
    settledOnCpu: before.settledOnCpu + now.settledOnCpu,
    decisions: before.decisions + now.decisions,
    seconds: before.seconds + now.seconds,
    lanes: now.lanes === null ? before.lanes : addLanes(now.lanes, before.lanes),
    inGroups: now.inGroups === null ? before.inGroups : now.inGroups + (before.inGroups ?? 0),
    fallback: now.fallback ?? before.fallback,
  };
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
