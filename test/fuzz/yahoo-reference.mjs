/**
 * R6A and R6B once more, the slow way: strings, split and regular expressions. What the reader makes of any bytes must be
 * what this makes of them.
 */

import { DROPPED, FORGIVEN, LEFT_OUT } from '../../dist/formats/yahoo/kinds.js';

const WHOLE = /^(?:0|[1-9][0-9]{0,14})$/;
const DECIMAL = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const ORDER = ['2', '3', '4', '5', '6', '1'];
const MOST = 2 ** 20;

class Fault extends Error {}
const bad = (kind) => {
  throw new Fault(kind);
};

/**
 * @param bytes the content of one file
 * @returns {{ rows: number, events: object[], counts: Map<string, number> }} events: row, seconds, displayed, click, user
 *   (numbers in column order), pool (id → features in column order; null features for R6B)
 */
export function referenceRead(bytes, format) {
  const lines = bytes.toString('latin1').split('\n');
  const last = lines.pop();
  const counts = new Map();
  const count = (kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const events = [];
  let rows = 0;
  for (const line of lines) rows += readLine(line);
  if (/^[ \t]+$/.test(last)) readLine(last);
  else if (last !== '') {
    rows++;
    count(DROPPED.noLineEnd);
  }
  return { rows, events, counts };

  function readLine(line) {
    if (line.length > MOST) {
      count(DROPPED.tooLong);
      return 1;
    }
    const kinds = [];
    let text = line;
    if (text.endsWith('\r')) {
      text = text.slice(0, -1);
      kinds.push(FORGIVEN.crlf);
    }
    if (/[ \t]$/.test(text)) kinds.push(FORGIVEN.trailing);
    if (/^[ \t]*$/.test(text)) {
      count(FORGIVEN.blank);
      return 1 - 1;
    }
    if (/^[ \t]/.test(text)) kinds.push(FORGIVEN.leading);
    try {
      const event = readEvent(text.replace(/^[ \t]+|[ \t]+$/g, '').split(/[ \t]+/), format, kinds);
      for (const kind of kinds) count(kind);
      events.push({ row: rows, ...event });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      count(error.message);
    }
    return 1;
  }
}

function readEvent([time, id, click, mark, ...rest], format, kinds) {
  const prefix = format === 'r6a' ? '' : 'id-';
  const idOf = (text) =>
    text.startsWith(prefix) && WHOLE.test(text.slice(prefix.length)) ? text.slice(prefix.length) : null;
  if (!WHOLE.test(time) || Number(time) > 8.64e12) bad(DROPPED.timestamp);
  if (id === undefined) bad(DROPPED.tooFew);
  const displayed = idOf(id) ?? bad(DROPPED.displayedId);
  if (click === undefined) bad(DROPPED.tooFew);
  if (click !== '0' && click !== '1') bad(DROPPED.click);
  if (mark === undefined) bad(DROPPED.tooFew);
  if (mark !== '|user') bad(DROPPED.noUser);
  const bar = rest.findIndex((token) => token.startsWith('|'));
  const userTokens = bar < 0 ? rest : rest.slice(0, bar);
  const user = format === 'r6a' ? sixOf(userTokens) : indicesOf(userTokens, kinds);
  if (user.includes(null)) bad(DROPPED.shortUser);
  if (bar < 0) bad(DROPPED.noPool);
  const items = [];
  for (const token of rest.slice(bar)) {
    if (token.startsWith('|')) items.push([token, []]);
    else items[items.length - 1][1].push(token);
  }
  const pool = new Map();
  const short = new Set();
  for (const [token, features] of items) {
    const article = idOf(token.slice(1)) ?? bad(DROPPED.articleId);
    if (format === 'r6b' && features.length > 0) bad(DROPPED.extra);
    const values = format === 'r6a' ? sixOf(features) : [];
    if (pool.has(article)) kinds.push(FORGIVEN.articleTwice);
    else if (!values.includes(null)) pool.set(article, values);
    else {
      short.add(article);
      kinds.push(features.length === 0 ? LEFT_OUT.bareArticle : LEFT_OUT.shortArticle);
    }
  }
  if (!pool.has(displayed)) bad(short.has(displayed) ? DROPPED.displayedShort : DROPPED.notInPool);
  return { seconds: Number(time), displayed, click: Number(click), user, pool };
}

/** Values in column order; null where one is not given. */
function sixOf(tokens) {
  const values = [null, null, null, null, null, null];
  for (const token of tokens) {
    const colon = token.indexOf(':');
    if (colon < 0 || !/^[0-9]+$/.test(token.slice(0, colon))) bad(DROPPED.feature);
    const place = ORDER.indexOf(token.slice(0, colon));
    if (place < 0) bad(DROPPED.featureId);
    if (values[place] !== null) bad(DROPPED.featureTwice);
    const text = token.slice(colon + 1);
    if (!DECIMAL.test(text) || !Number.isFinite(Number(text))) bad(DROPPED.value);
    values[place] = Number(text) + 0;
  }
  return values;
}

function indicesOf(tokens, kinds) {
  const values = new Array(136).fill(0);
  let twice = false;
  for (const token of tokens) {
    const index = WHOLE.test(token) ? Number(token) : 0;
    if (index < 1 || index > 136) bad(DROPPED.userIndex);
    if (values[index - 1] === 1) twice = true;
    values[index - 1] = 1;
  }
  if (tokens.length === 0) kinds.push(FORGIVEN.noUserFeatures);
  else if (twice) kinds.push(FORGIVEN.userFeatureTwice);
  return values;
}

/** An event of a log in the form of `referenceRead`. */
export function eventOf(log, t) {
  const { contexts, pools, armFeatures, arms } = log;
  const row = contexts.row === null ? t : contexts.row[t];
  const s = pools.pool === null ? 0 : pools.pool[t];
  const pool = new Map();
  for (let i = pools.offsets[s]; i < pools.offsets[s + 1]; i++) {
    const a = pools.arms[i];
    const version = armFeatures === null ? 0 : (armFeatures.row?.[i] ?? a);
    const features = armFeatures === null ? [] : Array.from(armFeatures.values.subarray(version * 6, version * 6 + 6));
    pool.set(arms.ids[a], features);
  }
  return {
    row: log.sourceRow === null ? t : log.sourceRow[t],
    seconds: log.time[t] / 1000,
    displayed: arms.ids[log.arm[t]],
    click: log.payoff.steps[t],
    user: Array.from(contexts.values.subarray(row * contexts.dimension, (row + 1) * contexts.dimension)),
    pool,
  };
}

/** Counts of a log's bad rows by kind. */
export function countsOf(log) {
  return new Map(log.source.badRows.map(({ kind, count }) => [kind, count]));
}

/** The first difference between two events, as text; null: there is none. Pools are compared as sets. */
export function difference(got, wanted) {
  for (const key of ['row', 'seconds', 'displayed', 'click'])
    if (got[key] !== wanted[key]) return `${key} is ${got[key]}, not ${wanted[key]}`;
  if (!same(got.user, wanted.user)) return `user is ${got.user}, not ${wanted.user}`;
  if (got.pool.size !== wanted.pool.size) return `the pool has ${got.pool.size} articles, not ${wanted.pool.size}`;
  for (const [id, features] of wanted.pool) {
    const found = got.pool.get(id);
    if (found === undefined || !same(found, features)) return `article ${id} has ${found}, not ${features}`;
  }
  return null;
}

const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);
