/** What readers hand on in batches, put together again: it must be the log that they read whole. */

import { isDeepStrictEqual } from 'node:util';
import { DecisionCollector } from '../../dist/formats/decisions/collector.js';
import { DecisionColumns, layoutOf } from '../../dist/formats/decisions/decision-columns.js';
import { decisionOptions } from '../../dist/formats/decisions/options.js';
import { DecisionReading } from '../../dist/formats/decisions/reading.js';
import { VocabularySurvey } from '../../dist/formats/decisions/survey.js';
import { YahooReader } from '../../dist/formats/yahoo/reader.js';
import { OtherForm } from '../../dist/log/build/context-form.js';
import { stepCounter } from '../../dist/log/build/scale-finder.js';

/** The bytes in odd pieces, so that lines are cut anywhere. */
export function* piecesOf(bytes, first = Math.max(7, bytes.length >> 2), size = first) {
  for (let from = 0, to = first; from < bytes.length; from = to, to += size) yield bytes.subarray(from, to);
}

/** Compares a log of Yahoo text with one that is handed on after every piece. */
export function checkYahooBatches(log, format, bytes, options, fail) {
  let form = 'table';
  for (;;) {
    try {
      const reader = new YahooReader(format, options, form);
      const layout = reader.layout();
      const groups = [];
      reader.startFile('log.txt');
      for (const piece of piecesOf(bytes)) {
        reader.push(piece);
        groups.push(kept(reader.take()));
      }
      reader.endFile();
      groups.push(kept(reader.take()));
      compare(log, together(reader.finish(), layout, groups), fail);
      return;
    } catch (error) {
      if (!(error instanceof OtherForm)) throw error;
      form = error.form;
    }
  }
}

/** The same of examples with features and costs. */
export function checkDecisionBatches(log, format, parser, bytes, options, fail) {
  const collector = new DecisionCollector(decisionOptions(format, options));
  const readingOf = (afterPiece) => {
    const reading = new DecisionReading(format, options, parser, collector);
    reading.open('log.txt');
    for (const piece of piecesOf(bytes)) {
      reading.push(piece);
      afterPiece();
    }
    reading.close();
    return reading;
  };
  const survey = new VocabularySurvey(collector);
  collector.taker = survey;
  const first = readingOf(() => {});
  const source = first.finish();
  const surveyed = survey.finish(source);
  const columns = new DecisionColumns(surveyed.contexts ?? undefined);
  collector.taker = columns;
  const groups = [];
  readingOf(() => groups.push(kept(columns.emit(surveyed))));
  groups.push(kept(columns.emit(surveyed)));
  if (!columns.isSame(surveyed)) fail('the second reading differs from the first');
  compare(log, together({ ...surveyed.head, source }, layoutOf(surveyed.head), groups), fail);
}

/** A batch, whose memory is used again. */
function kept(group) {
  const copy = (value) => (ArrayBuffer.isView(value) ? value.slice() : Array.isArray(value) ? value.map(copy) : value);
  return Object.fromEntries(Object.entries(group).map(([name, value]) => [name, copy(value)]));
}

/** The log of a head and what was handed on. */
function together(head, layout, groups) {
  const events = groups.reduce((sum, group) => sum + group.events, 0);
  const column = (of) => groups.flatMap((group) => Array.from(of(group)));
  const codes = (of, { as, levels }, known) =>
    as === 'text' ? column(of).map((code) => known.indexOf(levels[code])) : column(of);
  const steps = stepCounter(head.payoff.scale);
  const { contexts } = head;
  return {
    ...head,
    events,
    arm: codes((group) => group.arm, layout.arms, head.arms.ids),
    payoff: { ...head.payoff, steps: column((group) => group.payoff).map(steps) },
    contexts:
      contexts.row === null
        ? { ...contexts, rows: events, values: column((group) => group.context) }
        : { ...contexts, row: column((group) => group.contextRow) },
    pools: { ...head.pools, pool: head.pools.pool === null ? null : column((group) => group.pool) },
    propensity: head.propensity === null ? null : column((group) => group.propensity),
    time: head.time === null ? null : column((group) => group.time),
    keys: new Map(
      [...head.keys].map(([name, { levels }], k) => [
        name,
        { levels, code: codes((group) => group.keys[k], layout.keys[k], levels) },
      ]),
    ),
    sourceRow: head.sourceRow === null ? null : column((group) => group.sourceRow),
  };
}

function compare(whole, batched, fail) {
  const [a, b] = [plain(whole), plain(batched)];
  for (const name of Object.keys(a))
    if (!isDeepStrictEqual(a[name], b[name])) fail(`${name} is other where events are handed on`);
}

/** Numbers without their types: those of columns that were put together are lost. */
function plain(value) {
  if (ArrayBuffer.isView(value)) return Array.from(value);
  if (value instanceof Map) return [...value].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}
