/** Several packed logs as one: their events one after the other, under the tables of all of them. */

import { f64Column, u32Column } from '../log/build/memory.js';
import { sourceWarnings } from '../log/checks/dropped-warnings.js';
import { alikeIn, alikeWarnings } from '../log/checks/look-alikes.js';
import type { EventLog, KeyColumn } from '../log/event-log.js';
import type { ReadOptions } from '../log/read-options.js';
import type { ReadNeed } from '../log/stream.js';
import { bytesPerEvent, checkBatch } from '../log/stream-of.js';
import { BatchColumns } from './batch-columns.js';
import { ArmMerger } from './merge/arms.js';
import { ContextMerger } from './merge/contexts.js';
import { LevelMerger } from './merge/levels.js';
import { nonEmpty } from './merge/parts.js';
import { mergePayoffs } from './merge/payoffs.js';
import { checkPresence } from './merge/presence.js';
import { SetMerger } from './merge/sets.js';
import { mergeSources } from './merge/source.js';
import { type BatchOptions, PackedEvents } from './packed-events.js';
import { PackedFile } from './packed-file.js';
import { type PackedStream, readTables, recorded } from './read.js';
import { type Recoding, UNCHANGED } from './recoding.js';

/** A file of the log. */
interface Part {
  readonly content: PackedEvents;
  readonly recoding: Recoding;
  /** Event of the log that its event 0 is. */
  readonly start: number;
}

/**
 * Opens packed logs as one log, in the given order: the one that their original files together are. Tables are read file
 * by file, so that only the merged ones are held.
 *
 * @throws InputError where a file is missing, no packed log or damaged, and where the files are not of one kind.
 */
export async function openMerged(names: readonly string[], options: ReadOptions = {}): Promise<MergedLog> {
  const { signal } = options;
  const files: PackedFile[] = [];
  try {
    for (const name of names) {
      signal?.throwIfAborted();
      files.push(await PackedFile.open(name));
    }
    return await merge(files, options);
  } catch (error) {
    for (const file of files) await file.close();
    throw error;
  }
}

async function merge(files: readonly PackedFile[], options: ReadOptions): Promise<MergedLog> {
  const { signal } = options;
  checkPresence(files);
  const { firstEvent, source, hasRows, rows } = mergeSources(files);
  const nonEmptyFiles = new Set(nonEmpty(files));
  const [{ header: first }] = nonEmptyFiles;
  const arms = new ArmMerger(files);
  const sets = new SetMerger(files);
  const contexts = new ContextMerger(files);
  const user = first.user === null ? null : new LevelMerger();
  const keys = new Map(first.keys.map(({ name }) => [name, new LevelMerger()]));
  const contents = new Map<PackedFile, PackedEvents>();
  // What looks alike within a file was said when it was made.
  const told = new Set<string>();
  for (const file of files) {
    signal?.throwIfAborted();
    const { head, columns, groups } = await readTables(file);
    for (const { groups } of alikeIn(head)) for (const group of groups) told.add(JSON.stringify(group));
    const keyNames = [...head.keys.keys()];
    const inOrder = [...keys.keys()].map((name) => columns.keys[keyNames.indexOf(name)]);
    // Events have the keys of the log; a file of none need not.
    const content = new PackedEvents(file, { ...columns, keys: file.header.events > 0 ? inOrder : [] }, groups);
    contents.set(file, content);
    arms.add(file, head.arms.ids);
    sets.add(file, head, nonEmptyFiles.has(file));
    user?.add(head.user?.levels ?? []);
    for (const [name, merger] of keys) merger.add(head.keys.get(name)?.levels ?? []);
    await contexts.add(file, head.contexts, async () => {
      const all = new BatchColumns(head, file.header.events);
      await content.fill(all, 0, file.header.events, UNCHANGED, { signal });
      return all.finish(0).contexts.values;
    });
  }
  const payoff = await mergePayoffs(files, (file) => contents.get(file)?.payoffs(signal) ?? none());
  const merged = arms.finish();
  const { pools, armFeatures, codes: poolCodes } = sets.finish(merged.arms);
  const users = user?.finish() ?? null;
  const levels = [...keys].map(([name, merger]) => ({ name, ...merger.finish() }));
  const { contexts: table, recodings } = contexts.finish();
  const key = ({ levels }: { levels: readonly string[] }): KeyColumn => ({ levels, code: u32Column(0) });
  const head: EventLog = {
    ...(firstEvent === undefined ? {} : { firstEvent }),
    events: 0,
    arms: merged.arms,
    arm: u32Column(0),
    payoff,
    contexts: table,
    pools,
    propensity: first.propensity ? f64Column(0) : null,
    time: first.time ? f64Column(0) : null,
    user: users === null ? null : key(users),
    keys: new Map(levels.map((one) => [one.name, key(one)])),
    armFeatures,
    sourceRow: hasRows ? u32Column(0) : null,
    source,
  };
  const alike = alikeIn(head).map((one) => ({
    ...one,
    groups: one.groups.filter((group) => !told.has(JSON.stringify(group))),
  }));
  const warned = alikeWarnings(
    head,
    alike.filter(({ groups }) => groups.length > 0),
  );
  let start = 0;
  const parts = files.map((file, i): Part => {
    const content = contents.get(file) as PackedEvents;
    const pool = poolCodes[i];
    const recoding: Recoding = {
      arm: merged.codes[i],
      pool,
      onePool: file.header.pools.perEvent ? null : (pool?.[0] ?? 0),
      user: users?.codes[i] ?? null,
      keys: levels.map(({ codes }) => codes[i]),
      context: recodings[i],
      ...rows[i],
    };
    start += content.count;
    return { content, recoding, start: start - content.count };
  });
  return new MergedLog(
    { ...head, source: { ...recorded(source, options), ...sourceWarnings([...(source.warnings ?? []), ...warned]) } },
    parts,
    files.flatMap((file) => file.identity),
  );
}

async function* none(): AsyncGenerator<ArrayLike<number>> {}

export class MergedLog implements PackedStream {
  readonly events: number;
  readonly bytesPerEvent: number;
  /** The file in which the last batch ended. */
  private held: PackedEvents | null = null;

  constructor(
    readonly head: EventLog,
    private readonly parts: readonly Part[],
    readonly identity: readonly string[],
  ) {
    this.events = parts.reduce((sum, { content }) => sum + content.count, 0);
    this.bytesPerEvent = bytesPerEvent(head);
  }

  read(from: number, to: number, signal?: AbortSignal, need?: ReadNeed): Promise<EventLog> {
    return this.readBatch(from, to, { signal, need });
  }

  async readBatch(from: number, to: number, { signal, onEvents, need }: BatchOptions = {}): Promise<EventLog> {
    signal?.throwIfAborted();
    checkBatch(from, to, this.events);
    const target = new BatchColumns(this.head, to - from, need);
    for (const { content, recoding, start } of this.parts) {
      const begin = Math.max(from, start);
      const end = Math.min(to, start + content.count);
      if (begin >= end) continue;
      // What is decoded of other files is not read on: one is held at a time.
      if (this.held !== content) this.held?.release();
      this.held = content;
      await content.fill(target, begin - start, end - start, recoding, {
        signal,
        need,
        onEvents: (done) => onEvents?.(begin - from + done),
      });
    }
    return target.finish(from);
  }

  async close(): Promise<void> {
    for (const { content } of this.parts) await content.close();
  }
}
