/** R6A and R6B as targets of the fuzzer: made-up seeds, and the slow parser as the judge. */

import { FORGIVEN } from '../../dist/formats/yahoo/kinds.js';
import { YahooReader } from '../../dist/formats/yahoo/reader.js';
import { checkYahooBatches, piecesOf } from './batches.mjs';
import { countsOf, difference, eventOf, referenceRead } from './yahoo-reference.mjs';

const six = (k) =>
  [2, 3, 4, 5, 6, 1]
    .map((id, j) => `${id}:${id === 1 ? '1.000000' : (((k * 37 + j * 11) % 97) / 97).toFixed(6)}`)
    .join(' ');
const line = (time, id, click, user, ids, features) =>
  `${time} ${id} ${click} |user${user} ${ids.map((one) => `|${one}${features(one)}`).join(' ')}\n`;

const POOLS = [
  [100003, 100001, 100002],
  [100001, 100004, 100003],
];
const r6aText = (lines) =>
  Array.from({ length: lines }, (_, t) => {
    const pool = POOLS[(t >> 1) % 2];
    return line(
      1241160900 + 300 * (t >> 2),
      pool[t % 3],
      t % 5 === 0 ? 1 : 0,
      ` ${six(t % 4)}`,
      pool,
      (id) => ` ${six(id + (t > 6 ? 1 : 0))}`,
    );
  }).join('');
const r6bText = (lines) =>
  Array.from({ length: lines }, (_, t) => {
    const pool = POOLS[(t >> 1) % 2].map((id) => `id-${id}`);
    const user = t % 4 === 3 ? ' 1' : ` 1 ${9 + (t % 3)} 136 43 ${50 + t}`;
    return line(1317513291 + t, pool[t % 3], t % 5 === 0 ? 1 : 0, user, pool, () => '');
  }).join('');

const ODD = {
  r6a: `\r\n 1 1 0 |user 1:1 2:0 3:-0.5 4:1e-3 5:.5 6:7.  |1 ${six(1)} |2 |3 1:1 2:0.5 |1 ${six(2)} \r\n\t\n`,
  r6b: '\r\n 1 id-1 0 |user |id-1 |id-2 |id-1 \r\n\t\n5 id-2 1 |user 3 3\t4 |id-2\n',
};

/**
 * @param format `r6a` or `r6b`
 * @param first bytes in the first chunk
 * @param chunk bytes in the chunks that follow
 */
export function readBytes(format, bytes, options = {}, first = bytes.length, chunk = first) {
  const reader = new YahooReader(format, options);
  reader.startFile('log.txt');
  for (const piece of piecesOf(bytes, first, chunk)) reader.push(piece);
  reader.endFile();
  return reader.finish();
}

export function yahooTarget(format) {
  const text = format === 'r6a' ? r6aText : r6bText;
  return {
    name: `yahoo-${format}`,
    seeds: [text(1), text(3), text(12), text(30), ODD[format] + text(2), text(2) + ODD[format]].map((seed) =>
      Buffer.from(seed),
    ),
    separators: ' \t\n\r:|',
    variants: [{}, { skipBadRows: true }, { strict: true }],
    // In odd pieces, so that lines are cut anywhere.
    read: (bytes, options) => readBytes(format, bytes, options, Math.max(7, bytes.length >> 2)),
    mayLackLine: ({ problem }) => problem === 'the log has no rows',
    check(log, bytes, options) {
      const wanted = referenceRead(bytes, format);
      const fail = (message) => {
        throw new Error(`${message} (${JSON.stringify(options)})`);
      };
      if (log.source.rows !== wanted.rows) fail(`${log.source.rows} rows, not ${wanted.rows}`);
      if (log.events !== wanted.events.length) fail(`${log.events} events, not ${wanted.events.length}`);
      for (let t = 0; t < log.events; t++) {
        const found = difference(eventOf(log, t), wanted.events[t]);
        if (found !== null) fail(`event ${t}: ${found}`);
      }
      const counts = countsOf(log);
      for (const kind of new Set([...counts.keys(), ...wanted.counts.keys()])) {
        if (counts.get(kind) !== wanted.counts.get(kind))
          fail(`"${kind}" is counted ${counts.get(kind) ?? 0} times, not ${wanted.counts.get(kind) ?? 0}`);
      }
      // Of some: every reading takes columns for 65,536 events, which are collected late.
      if (bytes.length < 1e6 && bytes.length % 8 === 0) checkYahooBatches(log, format, bytes, options, fail);
      const kinds = [...counts.keys()];
      if (options.strict === true && kinds.length > 0) fail('a strict reading counted something');
      if (options.skipBadRows !== true && kinds.some((kind) => !Object.values(FORGIVEN).includes(kind)))
        fail('a reading that drops nothing dropped something');
    },
    checkError(error, bytes, options) {
      const wanted = referenceRead(bytes, format);
      if (options.skipBadRows === true && wanted.rows > 0)
        throw new Error(`an error in spite of skipBadRows: ${error.message}`);
      if (wanted.rows > 0 && !wanted.counts.has(error.fault.problem))
        throw new Error(`no such fault: ${error.message}`);
    },
  };
}
