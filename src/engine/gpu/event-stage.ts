/** Events that are cells of their own: matched as they are decided, chunk by chunk. In WGSL: shaders/lib/matches.wgsl. */

import type { GpuContext } from '../../gpu/context.js';
import type { KernelConstants } from '../../gpu/kernel.js';
import type { Worklist } from '../worklist.js';
import { cutSegments, type Segment } from './entries.js';
import { GROUP, powerOfTwo } from './kernels.js';
import { joinSegments, type Layout } from './layout.js';
import type { GpuPlan } from './plan.js';
import { type Plane, packPlanes, planesOf } from './planes.js';
import type { OnDevice, Resident } from './resident.js';
import type { Piece, Stage, Target } from './stage.js';

/** Totals of a workgroup, and of a policy: words of its memory. */
const TOTALS = 1024;
const POLICY_TOTALS = TOTALS / GROUP;
const MOST_PLACES = 32;
/** Fewer events to a block, or to a pool, fill no larger tiles. */
const FOUR_VECTORS = 4096;
const TWO_VECTORS = 512;

/** What a chunk's events are to the policies, on the device. */
export interface LoadedEvents extends OnDevice {
  readonly layout: Layout;
}

/** How policies of one kind decide events. */
export interface EventPolicies<Loaded extends LoadedEvents = LoadedEvents> {
  readonly onCpu: ReadonlySet<number>;
  /** Name of what `load` makes of a log; `null`: other policies may make other things of it. */
  readonly inputs: string | null;
  /** vec4s of events that a lane has registers for. */
  readonly fours: number;
  /** Most policies of a workgroup. */
  readonly group: number;
  /** Pools that tiles are sorted by. */
  readonly pools: number;
  prepare(): void;
  /** Lays out events. */
  layOut(segments: readonly (readonly Segment[])[], fours: number): Layout;
  /** Uploads what deciding them takes. */
  load(layout: Layout): Loaded;
  /** Compiles the kernel and records its work. */
  pipeline(loaded: Loaded, constants: KernelConstants): Promise<Decider>;
  leaveToCpu(policy: number): void;
  close(): void;
}

/** Records the work of some policies on a chunk; returns buffers to free once it has been submitted. */
export type Decider = (
  encoder: GPUCommandEncoder,
  target: Target,
  shared: { columns: GPUBuffer; segments: number },
) => GPUBuffer[];

export class EventStage implements Stage {
  readonly words: readonly Plane[];

  constructor(
    private readonly context: GpuContext,
    private readonly policies: EventPolicies,
    private readonly worklist: Worklist,
    private readonly blocks: number,
    private readonly sizes: GpuPlan,
    /** Slots that a binding has room for. */
    private readonly slots: number,
    private readonly resident: Resident,
  ) {
    this.words = planesOf(worklist.entries.words ?? [], worklist.kinds, sizes.segment);
  }

  get onCpu(): ReadonlySet<number> {
    return this.policies.onCpu;
  }

  async *pieces(): AsyncGenerator<Piece> {
    const { context, policies, words, sizes, worklist, resident } = this;
    const { entries } = worklist;
    policies.prepare();
    const rowWords = 1 + words.length;
    const group = Math.max(1, Math.min(policies.group, Math.floor(TOTALS / rowWords)));
    const places = Math.max(1, Math.min(MOST_PLACES, Math.floor(POLICY_TOTALS / rowWords)));
    const together = entries.count / Math.max(1, this.blocks, policies.pools);
    const fours = Math.min(policies.fours, together >= FOUR_VECTORS ? 4 : together >= TWO_VECTORS ? 2 : 1);
    const maxima = words.filter(({ column }) => worklist.kinds[column].reduce === 'max').length;
    for (let from = 0, to = 0; from < entries.count; from = to) {
      to = Math.min(entries.count, from + sizes.chunk);
      const name = `${policies.inputs} ${from} by ${sizes.chunk}, ${sizes.segment}, ${fours}, ${places}`;
      let loaded =
        policies.inputs === null ? undefined : (resident.get(name) as (LoadedEvents & { to: number }) | undefined);
      let stays = loaded !== undefined;
      if (loaded === undefined) {
        const lay = (): Layout =>
          policies.layOut(joinSegments(cutSegments(entries, from, to, sizes.segment), sizes.segment, places), fours);
        let layout = lay();
        // Small blocks and many pools take more slots than events.
        const { maxComputeWorkgroupsPerDimension: most } = context.device.limits;
        while ((layout.cellOf.length > this.slots || layout.segments.length / 4 > most) && to - from > 1) {
          to = (from + to) >> 1;
          layout = lay();
        }
        loaded = { ...policies.load(layout), to };
        stays = policies.inputs !== null && resident.keep(name, loaded);
      }
      to = loaded.to;
      const { layout } = loaded;
      const own = loaded;
      const columns = context.upload('columns', packPlanes(layout, words, entries.words ?? []));
      const decide = await policies.pipeline(loaded, {
        ...{ FOURS: layout.fours, PLANES: words.length, MAXIMA: maxima },
        ...{ GROUP: group, PLACES: Math.min(places, powerOfTwo(mostRows(layout))) },
      });
      yield {
        blocks: layout.blocks,
        cellOf: layout.cellOf,
        events: to - from,
        decisions: layout.cellOf.length,
        encode: (encoder, target) => decide(encoder, target, { columns, segments: layout.segments.length / 4 }),
        free: () => {
          context.free(columns);
          if (!stays) own.free();
        },
      };
    }
  }

  leaveToCpu(policy: number): void {
    this.policies.leaveToCpu(policy);
  }

  close(): void {
    this.policies.close();
  }
}

/** Most rows of sums of a segment. */
function mostRows({ segments }: Layout): number {
  let most = 1;
  for (let i = 3; i < segments.length; i += 4) most = Math.max(most, segments[i]);
  return most;
}
