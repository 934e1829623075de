/** Event logs put together from their parts: everything that a log may have, whether a reader of today makes it or not. */

import fc from 'fast-check';
import { PayoffPacker } from '#dist/log/build/payoff.js';
import type { EventLog, KeyColumn } from '#dist/log/event-log.js';
import { sortIds } from '#dist/names/order.js';
import { WorldDraws } from '#dist/simulate/draws.js';

export interface Shape {
  seed: number;
  events: number;
  arms: number;
  /** d */
  dimension: number;
  values: 'f32' | 'f64';
  /** Distinct contexts in a table; 0: a row per event. */
  contextRows: number;
  /** 0: one pool of all arms, `pool` null. */
  pools: number;
  payoff: 'clicks' | 'stars' | 'cents' | 'negative' | 'rounded' | 'constant';
  payoffRange: boolean;
  propensity: boolean;
  time: boolean;
  user: boolean;
  keys: string[];
  sourceRow: boolean;
  /** none; a row per arm; a row per version of an arm. */
  features: 'none' | 'arms' | 'versions';
  ids: 'numbers' | 'odd';
  firstEvent: boolean;
}

/** Texts that are hard on encodings: quotes, astral characters, a byte-order mark, NUL, lone surrogates, nothing. */
export const ODD = [
  '',
  ' ',
  '"',
  "'",
  '\\',
  '\u0000',
  '\ufeffa',
  'é',
  'é',
  '日本',
  '😀',
  '\ud83d',
  'x\udc00',
  'a,b\n',
  '__proto__',
];

export function shapes(most = 300): fc.Arbitrary<Shape> {
  return fc.record({
    seed: fc.nat(0xffffffff),
    events: fc.oneof(fc.constantFrom(0, 1), fc.nat(most)),
    arms: fc.constantFrom(1, 2, 33, 50),
    dimension: fc.constantFrom(0, 1, 6),
    values: fc.constantFrom('f32', 'f64'),
    contextRows: fc.constantFrom(0, 1, 7),
    pools: fc.constantFrom(0, 1, 2, 40),
    payoff: fc.constantFrom('clicks', 'stars', 'cents', 'negative', 'rounded', 'constant'),
    payoffRange: fc.boolean(),
    propensity: fc.boolean(),
    time: fc.boolean(),
    user: fc.boolean(),
    keys: fc.uniqueArray(fc.constantFrom('segment', 'arm', 'x0', 'X0', 'payoff', ...ODD), { maxLength: 3 }),
    sourceRow: fc.boolean(),
    features: fc.constantFrom('none', 'arms', 'versions'),
    ids: fc.constantFrom('numbers', 'odd'),
    firstEvent: fc.boolean(),
  });
}

export const PLAIN: Shape = {
  seed: 1,
  events: 100,
  arms: 20,
  dimension: 6,
  values: 'f32',
  contextRows: 0,
  pools: 5,
  payoff: 'clicks',
  payoffRange: false,
  propensity: true,
  time: true,
  user: true,
  keys: ['segment'],
  sourceRow: true,
  features: 'none',
  ids: 'numbers',
  firstEvent: false,
};

/** The log of a shape. */
export function syntheticLog(shape: Shape): EventLog {
  const { events, arms: K, dimension, seed } = shape;
  const draws = new WorldDraws(seed);
  let purpose = 0;
  /** Whole numbers below a bound. */
  const column = (below: number, length = events): Uint32Array => {
    const stream = purpose++;
    return Uint32Array.from({ length }, (_, t) => draws.below(below, t, stream));
  };
  const reals = (length: number): Float64Array => {
    const stream = purpose++;
    return Float64Array.from({ length }, (_, t) => draws.bell(t, stream));
  };
  const ids = sortIds(
    Array.from({ length: K }, (_, a) => (shape.ids === 'numbers' ? String(a * 3) : `${ODD[a % ODD.length]}${a}`)),
  );
  const pools = makePools(shape, K, column);
  const table = shape.contextRows > 0;
  const rows = table ? shape.contextRows : events;
  const values = reals(rows * dimension);
  const inRow = shape.features === 'versions';
  return {
    ...(shape.firstEvent ? { firstEvent: 12_345 } : {}),
    events,
    arms: { ids, index: new Map(ids.map((id, a) => [id, a])) },
    arm: column(K),
    payoff: payoffs(shape, column(1000), reals(events)),
    contexts: {
      dimension,
      rows,
      values: shape.values === 'f32' ? Float32Array.from(values) : values,
      row: table ? column(rows) : null,
      columns: Array.from({ length: dimension }, (_, j) => (j === 3 ? 'arm' : j === 4 ? '\ud800' : `x${j}`)),
    },
    pools,
    propensity: shape.propensity
      ? column(4)
          .map((k) => k + 1)
          .reduce(reciprocals, new Float64Array(events))
      : null,
    time: shape.time ? reals(events).map((x, t) => (t % 3 === 0 ? -0 : 1.7e12 + x * 1e6)) : null,
    user: shape.user ? keyColumn(column(ODD.length * 2)) : null,
    keys: new Map(shape.keys.map((name) => [name, keyColumn(column(ODD.length))])),
    armFeatures:
      shape.features === 'none'
        ? null
        : {
            dimension: 2,
            rows: inRow ? pools.arms.length : K,
            values: reals(2 * (inRow ? pools.arms.length : K)),
            row: inRow ? Uint32Array.from(pools.arms, (_, i) => i) : null,
            columns: ['z0', 'z,1'],
          },
    sourceRow: shape.sourceRow ? column(0xffffffff).sort() : null,
    source: {
      files: ['a.csv', '\udc00.csv'],
      format: 'csv',
      where: shape.sourceRow ? "x = '\u0000'" : null,
      rows: shape.sourceRow ? 0xffffffff : events,
      badRows: shape.sourceRow ? [{ kind: 'payoff is not a number', count: 3, first: 'a.csv, row 1:\n  got: x' }] : [],
    },
  };
}

function reciprocals(target: Float64Array, k: number, t: number): Float64Array {
  target[t] = 1 / k;
  return target;
}

function makePools({ pools: count }: Shape, K: number, column: (below: number, length?: number) => Uint32Array) {
  const lists = Array.from({ length: Math.max(1, count) }, () => {
    const size = 1 + column(K, 1)[0];
    return count === 0 ? Array.from({ length: K }, (_, a) => a) : [...new Set(column(K, size))].sort((a, b) => a - b);
  });
  const offsets = new Uint32Array(lists.length + 1);
  for (const [s, list] of lists.entries()) offsets[s + 1] = offsets[s] + list.length;
  return {
    count: lists.length,
    offsets,
    arms: Uint32Array.from(lists.flat()),
    pool: count > 1 ? column(count) : null,
  };
}

function payoffs({ payoff, payoffRange, events }: Shape, whole: Uint32Array, real: Float64Array) {
  const packer = new PayoffPacker(events);
  const value = {
    clicks: (t: number) => (whole[t] < 50 ? 1 : 0),
    stars: (t: number) => (whole[t] % 11) / 2,
    cents: (t: number) => whole[t] / 100,
    negative: (t: number) => 5 - whole[t],
    rounded: (t: number) => real[t] * Math.PI,
    constant: () => 0.1,
  }[payoff];
  for (let t = 0; t < events; t++) packer.push(value(t));
  return packer.finish(payoffRange ? [-1000, 1000] : undefined);
}

function keyColumn(code: Uint32Array): KeyColumn {
  const levels = ODD.concat(ODD.map((text) => `${text}'`));
  return { levels, code };
}

/** Where two logs differ, in type, length or any bit; `null`: nowhere. Which files they were made of is no part of them. */
export function difference(a: unknown, b: unknown, path = 'log'): string | null {
  if (path.endsWith('.source.inputs')) return null;
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) {
    if (a.constructor !== b.constructor) return `${path}: ${a.constructor.name} and ${b.constructor.name}`;
    const [x, y] = [bytes(a), bytes(b)];
    if (x.length !== y.length) return `${path}: ${x.length} and ${y.length} bytes`;
    return x.equals(y) ? null : `${path}: other values`;
  }
  if (a instanceof Map && b instanceof Map) return difference([...a], [...b], path);
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    for (const name of names) {
      const found = difference(Reflect.get(a, name), Reflect.get(b, name), `${path}.${name}`);
      if (found !== null) return found;
    }
    return null;
  }
  return Object.is(a, b) ? null : `${path}: ${String(a)} and ${String(b)}`;
}

function bytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
