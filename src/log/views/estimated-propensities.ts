/**
 * Propensities from how often arms were logged: of the events with one candidate set and the same values of some key columns, the share
 * that logged the arm. Right where the logging policy went by nothing else, which no log can show.
 */

import { filesText, InputError } from '../../errors.js';
import { listNames, nearestName } from '../../names/order.js';
import { plural } from '../../words.js';
import { GrowingU32 } from '../build/growing.js';
import { WordInterner } from '../build/interner.js';
import { f64Column } from '../build/memory.js';
import type { EstimatedPropensities, EventLog } from '../event-log.js';
import type { LogStream } from '../stream.js';
import { eventsPerBatch } from './picked-stream.js';

/** Cells with fewer events for each candidate have shares that are mostly chance. */
const FEW_EVENTS = 20;

/**
 * The log with such propensities, counted here once.
 *
 * @param keys columns, at least one; the log must have them.
 * @throws InputError for a log that has propensities, or lacks a column; the signal's reason.
 */
export async function withEstimatedPropensities(
  stream: LogStream,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<LogStream> {
  const { head, events } = stream;
  checkLog(head, keys);
  const shares = new Shares(head, keys);
  const most = eventsPerBatch(stream);
  for (let from = 0; from < events; from += most)
    shares.add(await stream.read(from, Math.min(events, from + most), signal, 'count'));
  const estimatedPropensities = shares.description;
  const source = {
    ...head.source,
    estimatedPropensities,
    warnings: [...(head.source.warnings ?? []), warning(estimatedPropensities)],
  };
  return {
    ...stream,
    head: { ...head, propensity: f64Column(0), source },
    bytesPerEvent: stream.bytesPerEvent + 8,
    ...(stream.identity === undefined
      ? {}
      : { identity: [...stream.identity, JSON.stringify(['estimated propensities', keys])] }),
    async read(from, to, signal, need) {
      const batch = await stream.read(from, to, signal, need);
      return { ...batch, propensity: shares.propensity(batch), source };
    },
    close: () => stream.close(),
  };
}

function checkLog({ propensity, keys: known, source }: EventLog, keys: readonly string[]): void {
  const file = source.files.length === 0 ? undefined : filesText(source.files);
  if (propensity !== null)
    throw new InputError({
      file,
      problem: 'propensities are to be estimated, and the log has them',
      needed: 'those that were logged: shares of arms know less',
      hint: 'leave --estimate-propensities (in code: estimatePropensities) out; if the column is wrong, read the log without it',
    });
  const missing = keys.find((key) => !known.has(key));
  if (missing === undefined && keys.length > 0) return;
  const near = missing === undefined ? null : nearestName(missing, [...known.keys()]);
  throw new InputError({
    file,
    problem: missing === undefined ? 'no key column is named' : 'there is no such key column',
    got: missing,
    needed: `columns kept by value, among ${listNames([...known.keys()])}`,
    hint: near === null ? undefined : `did you mean ${JSON.stringify(near)}?`,
  });
}

class Shares {
  private readonly cells = new WordInterner();
  private readonly pairs = new WordInterner();
  /** Events of each cell, and of each cell and arm. */
  private readonly ofCell = new GrowingU32();
  private readonly ofPair = new GrowingU32();
  /** Candidates of each cell. */
  private readonly candidates = new GrowingU32();
  private readonly words: Int32Array;
  private readonly offsets: Uint32Array;

  constructor(
    { pools: { offsets } }: EventLog,
    private readonly keys: readonly string[],
  ) {
    this.offsets = offsets;
    this.words = new Int32Array(keys.length + 1);
  }

  add(batch: EventLog): void {
    const { ofCell, ofPair, candidates, offsets } = this;
    this.each(batch, (_, cell, pair, pool) => {
      if (cell === ofCell.length) {
        ofCell.push(0);
        candidates.push(offsets[pool + 1] - offsets[pool]);
      }
      if (pair === ofPair.length) ofPair.push(0);
      ofCell.set(cell, ofCell.at(cell) + 1);
      ofPair.set(pair, ofPair.at(pair) + 1);
    });
  }

  propensity(batch: EventLog): Float64Array {
    const propensity = f64Column(batch.events);
    this.each(batch, (t, cell, pair) => {
      propensity[t] = this.ofPair.at(pair) / this.ofCell.at(cell);
    });
    return propensity;
  }

  get description(): EstimatedPropensities {
    const { ofCell, candidates, keys } = this;
    let few = 0;
    for (let cell = 0; cell < ofCell.length; cell++) if (ofCell.at(cell) < FEW_EVENTS * candidates.at(cell)) few++;
    return { keys: [...keys], cells: ofCell.length, few };
  }

  private each(
    { events, arm, keys, pools: { pool } }: EventLog,
    visit: (t: number, cell: number, pair: number, pool: number) => void,
  ): void {
    const { words } = this;
    const codes = this.keys.map((key) => keys.get(key)?.code ?? new Uint32Array(events));
    const pair = new Int32Array(2);
    for (let t = 0; t < events; t++) {
      words[0] = pool === null ? 0 : pool[t];
      for (let k = 0; k < codes.length; k++) words[k + 1] = codes[k][t];
      pair[0] = this.cells.intern(words, 0, words.length);
      pair[1] = arm[t];
      visit(t, pair[0], this.pairs.intern(pair, 0, 2), words[0]);
    }
  }
}

function warning({ keys, cells, few }: EstimatedPropensities): string {
  const scarce =
    few === 0
      ? ''
      : `; ${few.toLocaleString('en')} of them have fewer than ${FEW_EVENTS} events per candidate, whose shares are mostly chance`;
  return `propensities are estimated: the shares of arms where candidates and ${listNames(keys)} are the same, ${plural(cells, 'cell')}${scarce}. Values are right only if the logging policy went by nothing else, arms that a cell never shows are valued by nothing, and no interval knows the error of the shares`;
}
