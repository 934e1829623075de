/**
 * VowpalWabbit text and dsjson as targets of the fuzzer. The judges: no row may be lost without being counted, and rows of
 * a plain form, which a few lines here read by splitting, must be events with the values written in them.
 */

import { isUtf8 } from 'node:buffer';
import { CollectedEvents } from '../../dist/formats/decisions/collected-events.js';
import { DecisionCollector } from '../../dist/formats/decisions/collector.js';
import { decisionOptions } from '../../dist/formats/decisions/options.js';
import { DecisionReading } from '../../dist/formats/decisions/reading.js';
import { dsjson } from '../../dist/formats/dsjson/index.js';
import { vw } from '../../dist/formats/vw/index.js';
import { checkDecisionBatches, piecesOf } from './batches.mjs';

const LONGEST = 16 * 2 ** 20;
/** Inputs up to this are handed on in batches as well. */
const LARGE = 1e6;

/** Reads bytes in odd pieces, so that lines are cut anywhere. */
export function readBytes(format, parser, bytes, options) {
  const head = { packing: null, bytes: bytes.subarray(0, 65536), whole: bytes.length < 65536 };
  for (const one of [vw, dsjson]) one.sniff(head);
  const collector = new DecisionCollector(decisionOptions(format, options));
  const kept = new CollectedEvents(collector);
  collector.taker = kept;
  const reading = new DecisionReading(format, options, parser, collector);
  reading.open('log.txt');
  for (const piece of piecesOf(bytes)) reading.push(piece);
  reading.close();
  return kept.finish(reading.finish());
}

/** @param rowsOf rows of the bytes: `{ plain }`, where the row's form is plain, is what must be read of it */
export function decisionTarget({ name, format, parser, seeds, separators, rowsOf }) {
  return {
    name,
    seeds: seeds.map((seed) => Buffer.from(seed)),
    separators,
    variants: [{}, { skipBadRows: true }, { strict: true }],
    read: (bytes, options) => readBytes(format, parser, bytes, options),
    mayLackLine: ({ problem }) => /^(the log has no rows|no row of the log is an event|payoffs lie too )/.test(problem),
    check(log, bytes, options) {
      const fail = (message) => {
        throw new Error(`${message} (${JSON.stringify(options)})`);
      };
      const rows = rowsOf(bytes);
      if (log.source.rows !== rows.length) fail(`${log.source.rows} rows, not ${rows.length}`);
      const lost = log.source.badRows.filter((kind) => kind.lost !== 'nothing');
      const left = lost.reduce((sum, { count }) => sum + count, 0);
      if (log.events + left !== rows.length) fail(`${log.events} events and ${left} rows left out of ${rows.length}`);
      if (options.strict === true && log.source.badRows.length > 0) fail('a strict reading counted something');
      if (options.skipBadRows !== true && lost.some(({ kind }) => !/^event (without|marked)/.test(kind)))
        fail('a reading that drops nothing dropped something');
      const eventOf = new Map(Array.from({ length: log.events }, (_, t) => [log.sourceRow?.[t] ?? t, t]));
      for (const [row, { plain }] of rows.entries()) {
        if (plain === undefined) continue;
        const t = eventOf.get(row);
        if (t === undefined) fail(`row ${row} is no event`);
        else checkEvent(log, t, plain, fail);
      }
      if (bytes.length < LARGE) checkDecisionBatches(log, format, parser, bytes, options, fail);
    },
  };
}

function checkEvent(log, t, { action, actions, cost, probability, context, features }, fail) {
  const { scale, steps } = log.payoff;
  const payoff = scale.rounded ? null : ((scale.origin + steps[t]) * scale.numerator) / scale.denominator;
  const same = (what, got, wanted) => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      fail(`event ${t}: ${what} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
  };
  same('the arm', log.arms.ids[log.arm[t]], action);
  if (payoff !== null) same('the payoff', payoff + 0, 0 - cost);
  same('the propensity', log.propensity[t], probability);
  const { pools } = log;
  const s = pools.pool?.[t] ?? 0;
  const from = pools.offsets[s];
  if (actions !== undefined) same('the number of candidates', pools.offsets[s + 1] - from, actions);
  const { dimension, values, row, columns } = log.contexts;
  const at = (row?.[t] ?? t) * dimension;
  same('the context', named(columns, values.subarray(at, at + dimension)), context);
  if (features === undefined) return;
  const table = log.armFeatures;
  for (const [place, wanted] of features.entries()) {
    const i = from + place;
    const r = table?.row?.[i] ?? pools.arms[i];
    const d = table?.dimension ?? 0;
    same(`action ${place + 1}`, named(table?.columns ?? [], table?.values.subarray(r * d, (r + 1) * d) ?? []), wanted);
  }
}

/** Features that are not 0, by name, in the order of the names. */
function named(columns, values) {
  const found = {};
  for (const [j, name] of columns.entries()) if (values[j] !== 0) found[name] = values[j];
  return sorted(found);
}

export function sorted(features) {
  return Object.fromEntries(
    Object.entries(features)
      .filter(([, value]) => value !== 0)
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
}

/** Lines as bytes; `text` is `null` where a line is no text of allowed length. */
export function linesOf(bytes) {
  const lines = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    let line = bytes.subarray(from, to);
    from = to + 1;
    if (line.length > LONGEST) {
      lines.push(null);
      continue;
    }
    if (line.at(-1) === 13) line = line.subarray(0, -1);
    lines.push(isUtf8(line) ? line.toString().replace(/^\ufeff/, '') : null);
  }
  return lines;
}

const PLAIN_NUMBER = '-?\\d{1,6}(?:\\.\\d{1,6})?';
const PLAIN_NAMESPACE = new RegExp(`^([a-z]*)((?: [a-z]+(?::${PLAIN_NUMBER})?)*) ?$`);

/** `|ns name:value … |ns …` of a plain form, as an object; `null` where it is not plain. */
export function plainFeatures(text) {
  const features = {};
  for (const part of text.split('|').slice(1)) {
    const match = PLAIN_NAMESPACE.exec(part);
    if (match === null) return null;
    for (const word of match[2].split(' ').slice(1)) {
      const [name, value = '1'] = word.split(':');
      const full = match[1] === '' ? name : `${match[1]}^${name}`;
      features[full] = (features[full] ?? 0) + Number(value);
    }
  }
  return sorted(features);
}

/** A label of a plain form that can be an event's. */
export function plainLabel(text) {
  const match = new RegExp(`^(\\d{1,4}):(${PLAIN_NUMBER}):(0\\.\\d{1,6}|1) $`).exec(text);
  if (match === null || Number(match[3]) === 0) return null;
  return { action: Number(match[1]), cost: Number(match[2]), probability: Number(match[3]) };
}
