/** A small log that has everything that a log can have, for tests of streaming. */

import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { LogStream } from '#dist/log/stream.js';
import { streamOf } from '#dist/log/stream-of.js';
import { threefry2x32 } from '#dist/random/threefry.js';

export interface StreamLogOptions {
  events?: number;
  /** Whole payoffs 0..max; 1: clicks. */
  maxPayoff?: number;
  /** Contexts as a table of distinct rows, or a row per event. */
  table?: boolean;
  /** Candidate sets that change; else every arm at every event. */
  pools?: boolean;
  /** Times in order. */
  sorted?: boolean;
}

const ARMS = 6;
/** A midnight. */
const BEGIN = Date.UTC(2009, 4);
const POOLS = [[0, 1, 2, 3, 4, 5], [0, 2, 4], [1, 2, 3, 5], [5], [0, 5]];

/** Random events, uniform within their pools; times within ten hours, users, two key columns, source rows with gaps. */
export function streamLog(options: StreamLogOptions = {}): EventLog {
  const { events = 300, maxPayoff = 1, table = true, pools = true, sorted = true } = options;
  const words = new Uint32Array(2);
  const draw = (t: number, purpose: number, n: number): number => {
    threefry2x32(7, purpose, t, n, words);
    return words[0] % n;
  };
  const list = Array.from({ length: events }, (_, t) => t);
  const pool = Uint32Array.from(list, (t) => (pools ? draw(t, 0, POOLS.length) : 0));
  const times = list.map((t) => draw(t, 5, 36_000_000));
  if (sorted) times.sort((a, b) => a - b);
  return logFromColumns({
    arms: ARMS,
    armIndex: Uint32Array.from(list, (t) => POOLS[pool[t]][draw(t, 1, POOLS[pool[t]].length)]),
    payoff: list.map((t) => (maxPayoff === 1 ? Number(draw(t, 2, 5) === 0) : draw(t, 2, maxPayoff + 1))),
    payoffRange: [0, maxPayoff],
    context: list.map((t) => [1, draw(t, 3, 3) - 1, table ? draw(t, 4, 4) / 4 : draw(t, 4, 1000) / 999, t % 2]),
    candidates: pools ? { pools: POOLS, pool } : undefined,
    time: times.map((t) => BEGIN + t),
    user: list.map((t) => `u${draw(t, 6, 23)}`),
    keys: {
      segment: list.map((t) => ['new', 'loyal', 'lost'][draw(t, 7, 3)]),
      device: list.map((t) => ['phone', 'desk'][draw(t, 8, 2)]),
    },
    armFeatures: Array.from({ length: ARMS }, (_, a) => [1, a / 4]),
  });
}

/** The stream of a log. @param onRead told before each read how many were begun so far; what it throws, the read throws. */
export function watched(log: EventLog, onRead: (reads: number) => void): LogStream {
  const whole = streamOf(log);
  let reads = 0;
  return {
    ...whole,
    read(...batch) {
      onRead(reads++);
      return whole.read(...batch);
    },
  };
}
