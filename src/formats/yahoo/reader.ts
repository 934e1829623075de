/**
 * Reads the bytes of R6A and R6B logs into an event log, line by line as they come. No files here: chunks are pushed in.
 * Deviations and what becomes of them: `kinds.ts`.
 */

import { type Fault, InputError } from '../../errors.js';
import { LineFeed, type LineSink, MOST_LINE_BYTES } from '../../files/byte-lines.js';
import type { BatchLayout, EventBatch } from '../../log/batch.js';
import type { ContextForm } from '../../log/build/context-form.js';
import { findScale } from '../../log/build/payoff.js';
import { PoolBuilder } from '../../log/build/pool-builder.js';
import { checkedRange, outsideRange } from '../../log/build/rules.js';
import { droppedWarnings, sourceWarnings } from '../../log/checks/dropped-warnings.js';
import type { EventLog } from '../../log/event-log.js';
import type { ReadOptions } from '../../log/read-options.js';
import { plural } from '../../words.js';
import { eventsPerBatch, layoutOf, takeBatch } from './batch.js';
import { EventColumns } from './events.js';
import { Faults, shown } from './faults.js';
import { featureColumns } from './features.js';
import { DROPPED, FORGIVEN, LEFT_OUT } from './kinds.js';
import { LineParser } from './line-parser.js';
import { needed, type YahooFormat } from './needed.js';
import { PoolCache } from './pool-cache.js';
import { PoolParser, type PoolText, type Token } from './pool-text.js';
import { isBlank, skipBlanks } from './tokens.js';
import { R6aUsers, R6bUsers, type Users } from './users.js';

/** The options that a reading of bytes knows. */
export type YahooOptions = Pick<ReadOptions, 'skipBadRows' | 'strict' | 'arms' | 'payoffRange' | 'maxLine'>;

const RETURN = 13;

/**
 * One reading: `startFile`, `push` …, `endFile`, for each file; then `finish`. Events that are handed on in batches are
 * taken with `take`, whenever `isBatch`, and before `finish`.
 */
export class YahooReader implements LineSink {
  /** Rows so far over all files: lines that are not blank. */
  rows = 0;
  /** Share of the files' bytes that is read: tells how much room to make. The caller's to set. */
  fractionRead = 0;
  private readonly feed: LineFeed;
  private readonly faults: Faults;
  private readonly builder: PoolBuilder;
  private readonly users: Users;
  private readonly events = new EventColumns();
  private readonly parser: LineParser;
  private readonly range: readonly [number, number];
  private readonly files: string[] = [];
  private file = '';
  private lineNumber = 0;
  private firstRow = 0;
  /** Deviations of the line at hand that are forgiven, where it is kept. */
  private readonly pending: string[] = [];

  /** Whether any event has a click. */
  private hasClick = false;

  /**
   * @param form that the contexts are to have, where events are handed on in batches; `null`: they are kept.
   * @throws InputError for options that are none.
   */
  constructor(
    readonly format: YahooFormat,
    private readonly options: YahooOptions,
    private readonly form: ContextForm | null = null,
  ) {
    const features = format === 'r6a';
    this.feed = new LineFeed(this, options.maxLine);
    this.faults = new Faults(options);
    this.range = checkedRange(options.payoffRange) ?? [0, 1];
    const prefix = Buffer.from(features ? '' : 'id-');
    this.builder = new PoolBuilder(features ? featureColumns('article') : []);
    this.builder.allArms = null;
    const allowed = options.arms === undefined ? null : new Set(options.arms.map(String));
    const { capacity } = this.events;
    this.users = features ? new R6aUsers(capacity, form) : new R6bUsers(capacity, form);
    const pools = new PoolCache(new PoolParser({ builder: this.builder, prefix, features, allowed }));
    this.parser = new LineParser({ users: this.users, pools, prefix, range: this.range });
  }

  startFile(file: string): void {
    this.files.push(file);
    this.file = file;
    this.lineNumber = 0;
    this.firstRow = this.rows;
  }

  /** @throws InputError for the first deviation that is not survived. */
  push(chunk: Buffer): void {
    this.feed.push(chunk);
  }

  /**
   * @param damage why the file ended before its end, where it did: what is left of a line goes with what is lost.
   * @throws InputError for a last line that does not end, and for damage, where they are not survived.
   */
  endFile(damage?: InputError): void {
    const rest = this.feed.end();
    if (damage !== undefined) {
      const { problem, got, needed, hint } = damage.fault;
      const lines = this.lineNumber;
      this.faults.add(problem, 'stretch', { file: this.file, row: this.rows - this.firstRow, line: lines + 1 }, () => ({
        got: `${got ?? ''}, after ${plural(lines, 'whole line')}`,
        needed,
        hint: `${hint}; --skip-bad-rows reads the whole lines before the damage`,
      }));
    } else if (rest !== null) {
      const { bytes, length } = rest;
      if (skipBlanks(bytes, 0, bytes.length) === length) this.line(bytes, 0, length);
      else {
        this.lineNumber++;
        this.rows++;
        this.drop(DROPPED.noLineEnd, bytes, Math.max(0, bytes.length - 40), bytes.length);
      }
    }
  }

  tooLong(beginning: Buffer, length: number): void {
    this.lineNumber++;
    this.rows++;
    this.faults.add(DROPPED.tooLong, 'row', this.place(), () => ({
      got: `${plural(length, 'byte')}: ${shown(beginning, 0, beginning.length, 40)}`,
      needed: `at most ${this.options.maxLine ?? MOST_LINE_BYTES}, or more with --max-line`,
    }));
  }

  line(bytes: Buffer, from: number, to: number): void {
    this.lineNumber++;
    const { pending } = this;
    pending.length = 0;
    let end = to;
    if (end > from && bytes[end - 1] === RETURN) {
      end--;
      pending.push(FORGIVEN.crlf);
    }
    if (end > from && isBlank(bytes[end - 1])) {
      pending.push(FORGIVEN.trailing);
      do end--;
      while (end > from && isBlank(bytes[end - 1]));
    }
    if (end === from) {
      this.faults.add(FORGIVEN.blank, 'nothing', this.place(1), () => ({}));
      return;
    }
    this.rows++;
    let start = from;
    if (isBlank(bytes[from])) {
      pending.push(FORGIVEN.leading);
      start = skipBlanks(bytes, from, end);
    }
    this.event(bytes, start, end);
  }

  private event(bytes: Buffer, from: number, end: number): void {
    const { parser, events, users } = this;
    const fault = parser.parse(bytes, from, end);
    if (fault !== null) {
      this.drop(fault, bytes, parser.faultFrom, parser.faultTo);
      return;
    }
    this.countPending(parser.pool, bytes, from, parser.poolFrom, end);
    // The columns of a batch are used again: what is to come needs no room.
    if (events.makeRoom(this.form === null ? this.fractionRead : 0)) users.reserve(events.capacity);
    users.push();
    if (parser.click === 1) this.hasClick = true;
    events.push(parser.arm, parser.click, this.builder.use(parser.pool.pool), parser.seconds, this.rows - 1);
  }

  /** Counts the deviations of a line that is kept. */
  private countPending(pool: PoolText, bytes: Buffer, from: number, poolFrom: number, end: number): void {
    const { pending, users } = this;
    for (const kind of pending) this.forgive(kind, bytes, from, end);
    for (const kind of users.forgiven) this.forgive(kind, bytes, from, end);
    for (const { from: a, to: b } of pool.twice) this.forgive(FORGIVEN.articleTwice, bytes, poolFrom + a, poolFrom + b);
    if (pool.bare.length > 0) this.leaveOut(LEFT_OUT.bareArticle, pool.bare, bytes, poolFrom);
    if (pool.short.length > 0) this.leaveOut(LEFT_OUT.shortArticle, pool.short, bytes, poolFrom);
  }

  private leaveOut(kind: string, tokens: readonly Token[], bytes: Buffer, poolFrom: number): void {
    for (const { from, to } of tokens)
      this.faults.add(kind, 'candidate', this.place(), () =>
        this.described(kind, bytes, poolFrom + from, poolFrom + to),
      );
  }

  private forgive(kind: string, bytes: Buffer, from: number, to: number): void {
    this.faults.add(kind, 'nothing', this.place(), () => this.described(kind, bytes, from, to));
  }

  private drop(kind: string, bytes: Buffer, from: number, to: number): void {
    this.faults.add(kind, 'row', this.place(), () => this.described(kind, bytes, from, to));
  }

  private described(kind: string, bytes: Buffer, from: number, to: number): Partial<Fault> {
    const got = shown(bytes, from, to);
    if (kind === DROPPED.payoffRange) return outsideRange(got, this.range);
    return { got, needed: needed(kind, this.format) };
  }

  /** The line at hand. @param ahead 1 for a blank line, which is no row. */
  private place(ahead = 0) {
    return { file: this.file, row: this.rows - this.firstRow - 1 + ahead, line: this.lineNumber };
  }

  /** Where events are handed on: the columns that they have. */
  layout(): BatchLayout {
    // A row that is no event is one that was dropped.
    return layoutOf(this.form ?? 'table', this.users, this.builder.armIds, this.options.skipBadRows === true);
  }

  /** Whether there are events for a batch. */
  get isBatch(): boolean {
    return this.form !== null && this.events.count >= eventsPerBatch(this.form, this.users);
  }

  /** The events since the last call; valid until the next `push`. @throws OtherForm */
  take(): EventBatch {
    return takeBatch(this.events, this.users);
  }

  /** The log, without the events that were taken. @throws InputError for files without a line; OtherForm */
  finish(): EventLog {
    const { events, builder, options, rows, hasClick } = this;
    if (rows === 0) {
      throw new InputError({
        file: this.files.join(', '),
        problem: 'the log has no rows',
        needed: 'a line per event',
      });
    }
    const sourceRow = events.rows.finish();
    const { count, arm, clicks, pool, time } = events.take();
    const built = builder.finishUsed(pool, options.arms);
    for (let t = 0; t < count; t++) arm[t] = built.armOf[arm[t]];
    const values = Float64Array.from(hasClick ? [0, 1] : [0]);
    const badRows = this.faults.finish();
    const implausible = events.implausible.warnings('a line begins with seconds since 1970');
    // Events may have been taken already: what is left is what was not dropped.
    const lost = badRows.reduce((sum, { count, lost = 'row' }) => sum + (lost === 'row' ? count : 0), 0);
    const dropped = options.skipBadRows === true ? droppedWarnings(badRows, rows - lost) : [];
    return {
      events: count,
      arms: built.arms,
      arm,
      payoff: {
        steps: clicks,
        maxSteps: hasClick ? 1 : 0,
        scale: findScale(values, this.range).scale,
        rangeBasis: 'declared',
      },
      contexts: this.users.finish(),
      pools: built.pools,
      propensity: null,
      time,
      user: null,
      keys: new Map(),
      armFeatures: built.armFeatures,
      sourceRow,
      source: {
        files: this.files,
        format: this.format,
        where: null,
        rows,
        badRows,
        ...sourceWarnings([...dropped, ...implausible]),
      },
    };
  }
}
