/** Decision-service JSON as a target of the fuzzer. */

import { eventParser } from '../../dist/formats/dsjson/events.js';
import { decisionTarget, linesOf, sorted } from './decisions.mjs';

const event = (members, c = {}) =>
  JSON.stringify({
    _label_cost: -1,
    _label_probability: 0.5,
    _label_Action: 2,
    _labelIndex: 1,
    Timestamp: '2021-02-04T16:31:29.2460000Z',
    EventId: 'e1',
    a: [2, 1],
    c: {
      u: { x: 3, sex: 'f' },
      _multi: [
        { _tag: 'A', v: { y: 1 } },
        { _tag: 'B', v: { y: 2, z: true } },
      ],
      ...c,
    },
    p: [0.5, 0.5],
    VWState: { m: 'N/A' },
    ...members,
  });

const CONTEXTS = new Set(['u', '_multi']);
const MEMBERS = new Set([
  ...['_label_cost', '_label_probability', '_label_Action', '_labelIndex', 'EventId', 'a', 'c', 'p', 'VWState'],
  ...['Timestamp', 'pdrop', 'o'],
]);

/** Features of one object in one namespace, of numbers, texts and booleans only; `null` where there is more. */
function flat(namespace, object) {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return null;
  const features = {};
  for (const [name, value] of Object.entries(object)) {
    if (name.startsWith('_')) return null;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) return null;
      features[`${namespace}^${name}`] = value;
    } else if (typeof value === 'string') features[`${namespace}^${name}=${value}`] = 1;
    else if (typeof value === 'boolean') features[`${namespace}^${name}`] = value ? 1 : 0;
    else return null;
  }
  return sorted(features);
}

/** Does the text repeat a name in an object? Asked of JSON.parse itself: it tells a reviver once per name. */
function hasRepeats(text, value) {
  const again = JSON.stringify(value);
  const colons = (json) => json.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length;
  return colons(text) !== colons(again);
}

function rowOf(line) {
  if (line === null) return {};
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  if (!Object.keys(value).every((name) => MEMBERS.has(name)) || hasRepeats(line, value)) return {};
  const {
    _label_cost: cost,
    _label_probability: probability,
    _label_Action: action,
    _labelIndex: index,
    a,
    c,
    p,
  } = value;
  const isSound =
    [cost, probability, index].every(Number.isFinite) &&
    probability > 0 &&
    probability <= 1 &&
    Number.isInteger(index) &&
    action === index + 1 &&
    Array.isArray(a) &&
    a[0] === action &&
    a.every((one) => Number.isFinite(one) && one > 0) &&
    Array.isArray(p) &&
    p.every(Number.isFinite) &&
    p[0] === probability &&
    Math.abs(p.reduce((sum, one) => sum + one, 0) - 1) <= 1e-3 &&
    typeof (value.pdrop ?? 0) === 'number' &&
    (value.pdrop ?? 0) >= 0 &&
    (value.pdrop ?? 0) < 1 &&
    value.Timestamp === '2021-02-04T16:31:29.2460000Z';
  const actions = c?._multi;
  if (!isSound || !Array.isArray(actions) || !Object.keys(c).every((name) => CONTEXTS.has(name))) return {};
  if (!(index >= 0 && index < actions.length && a.length === actions.length && p.length === actions.length)) return {};
  const context = flat('u', c.u ?? {});
  const features = actions.map((one) => {
    if (typeof one !== 'object' || one === null) return null;
    const { _tag, v, ...others } = one;
    return Object.keys(others).length === 0 && v !== undefined ? flat('v', v) : null;
  });
  if (context === null || features.includes(null)) return {};
  const plain = { action: String(action), actions: actions.length, cost, probability, context, features };
  return { plain };
}

export const target = decisionTarget({
  name: 'dsjson',
  format: 'dsjson',
  parser: eventParser,
  separators: ' \t\n\r{}[],:"',
  seeds: [
    `${event({})}\n${event({ _label_cost: 0.25, _labelIndex: 0, _label_Action: 1, a: [1, 2] })}\n`,
    Array.from({ length: 6 }, (_, t) => `${event({ _label_cost: t / 2 }, { u: { x: t, [`k${t % 2}`]: 'a' } })}\n`).join(
      '',
    ),
    `${event({ pdrop: 0.5 })}\n${event({ pdrop: 0 })}\n${event({ pdrop: 0.999 })}\n`,
    `${event({ _skipLearn: true })}\r\n${event({ pdrop: 0 }, { t: [1, 2, { q: 1 }], _text: 'a b' })}\r\n\r\n{"EventId":"x","RewardValue":1}`,
    `\ufeff${event({ a: [1, 0] })}\n${event({ _label_probability: 1.0000001192092896, p: [1, 0] })}\n${event({}, { deep: { er: { n: null, é: '\u0000"\\' } } })}\n`,
  ],
  rowsOf: (bytes) =>
    linesOf(bytes)
      .filter((line) => line === null || line.trim() !== '')
      .map(rowOf),
});
