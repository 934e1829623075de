/** VowpalWabbit text, one event per line and a line per action, as targets of the fuzzer. */

import { multiLineParser } from '../../dist/formats/vw/multi.js';
import { singleLineParser } from '../../dist/formats/vw/single.js';
import { decisionTarget, linesOf, plainFeatures, plainLabel } from './decisions.mjs';

const SEPARATORS = ' \t\n\r:|';

const isBlank = (line) => line !== null && line.trim() === '';

function singleRow(line) {
  const bar = line?.indexOf('|') ?? -1;
  if (bar < 0) return {};
  const label = plainLabel(line.slice(0, bar));
  const context = plainFeatures(line.slice(bar));
  if (label === null || label.action === 0 || context === null) return {};
  return { plain: { ...label, action: String(label.action), context } };
}

export const single = decisionTarget({
  name: 'vw-cb',
  format: 'vw-cb',
  parser: singleLineParser,
  separators: SEPARATORS,
  seeds: [
    '1:0:0.5 |f a b:2\n2:1:0.25 |f a c:-0.5\n1:0.5:0.5 | d\n',
    '1:1:1.0 2:2 3:3 4:4 | a b c\n1:1 2:2:0.7 3:3 4:4 | d e f\n1:1 2 | d\n | a\n',
    Array.from({ length: 20 }, (_, t) => `${1 + (t % 3)}:${(t % 5) / 4}:0.333 |user age:${t} x |item y:0.${t}\n`).join(
      '',
    ),
    "\ufeff1:0:1.0000001 'tag |n:0.5 a:1 a:1 city:paris :7 |m é:1e-3\r\n\r\nkey\t2:-1:.5 tag| a\t b\n 3:1e2:1 |\n",
    '10:0:0.1 | a\n1:3.4028234663852886e38:0.5 | b\n007:1:1 | url:http://x:1\n',
  ],
  rowsOf: (bytes) =>
    linesOf(bytes)
      .filter((line) => !isBlank(line))
      .map(singleRow),
});

/** Lines of each event: what stands between empty lines. */
function blocksOf(bytes) {
  const blocks = [];
  let block = null;
  for (const line of linesOf(bytes)) {
    if (line !== null && line.trim() === '' && !line.includes('\0')) {
      block = null;
      continue;
    }
    if (block === null) {
      block = [];
      blocks.push(block);
    }
    block.push(line);
  }
  return blocks;
}

function multiRow(block) {
  if (block.some((line) => line === null)) return {};
  let context = {};
  const features = [];
  let logged = null;
  for (const [i, line] of block.entries()) {
    const bar = line.indexOf('|');
    const found = bar < 0 ? null : plainFeatures(line.slice(bar));
    if (found === null) return {};
    const before = line.slice(0, bar);
    if (i === 0 && before === 'shared ') {
      context = found;
      continue;
    }
    // Spaces alone: other white space is a word, or a fault.
    if (!/^ *$/.test(before)) {
      const label = plainLabel(before);
      if (label === null || logged !== null) return {};
      logged = { ...label, action: String(features.length + 1) };
    }
    features.push(found);
  }
  if (logged === null || features.length === 0) return {};
  return { plain: { ...logged, actions: features.length, context, features } };
}

export const multi = decisionTarget({
  name: 'vw-adf',
  format: 'vw-adf',
  parser: multiLineParser,
  separators: SEPARATORS,
  seeds: [
    'shared | s t\n0:1.0:0.5 | a b\n | c d\n| e\n\n | b c\n0:0.0:0.5 | b d\n\n | a\n | c\n\n',
    'shared |u x:2\n|a p:1\n0:1:0.25 |a p:2\n|a p:3 q\n\n0:-0.5:0.5 |a p:4\n|a p:2',
    Array.from(
      { length: 8 },
      (_, t) => `shared |user age:${t % 3}\n|x a:${t}\n${t % 4}:${t / 4 - 1}:0.5 |x b:${t % 2}\n|x a b\n\n`,
    ).join(''),
    "\r\nshared |\r\n'one | a\r\n0:1:1 'two | b:x\r\n \r\n\r\n\r\nshared tag| z\n2:1 |\n3:0:0.1 | y\n|\n",
  ],
  rowsOf: (bytes) => blocksOf(bytes).map(multiRow),
});
