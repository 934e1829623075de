/** Saved results: whole ones are read as they are, and all else is refused with what was got and what to do. */

import { describe, expect, test } from 'vitest';
import { InputError } from '#dist/errors.js';
import { toJson } from '#dist/report/json.js';
import { toReplayJson } from '#dist/report/replay-json.js';
import type { EvaluationResult } from '#dist/report/result.js';
import { readResult } from '#dist/report/saved/read-result.js';
import { evaluation } from '../html/samples.js';
import { replaySample } from '../replay-sample.js';

const text = toJson(evaluation(3));
const changed = (change: (result: EvaluationResult) => unknown): string => {
  const result = JSON.parse(text) as EvaluationResult;
  change(result);
  return JSON.stringify(result);
};

test('a result is read as it was written', () => {
  expect(readResult(text, 'r.json')).toEqual({ kind: 'evaluation', result: evaluation(3) });
  expect(readResult(toReplayJson(replaySample()), 'r.json')).toEqual({ kind: 'replay', result: replaySample() });
});

describe('is refused', () => {
  test.each<[what: string, text: string, message: RegExp]>([
    [
      'no JSON',
      'rank,name\n1,a\n',
      /^r\.json, line 1: not valid JSON at column 1\n {2}got: .*\n {2}needed: a value\n {2}try: {4}name a result/,
    ],
    ['a file that was cut', text.slice(0, -400), /^r\.json, line \d+: not valid JSON at column \d+\n {2}got: /],
    ['nothing but blanks', ' \n', /got: {4}the end of the text/],
    [
      'a foreign object',
      '{ "name": "x", "scripts": {} }',
      /no result of hindcast\n {2}got: {4}an object with "name", "scripts"\n/,
    ],
    ['a list', '[1, 2]', /got: {4}a list of 2\n {2}needed: a result of evaluate or replay/],
    ['a policy set', '[{ "family": "constant" }]', /no result of hindcast/],
    [
      'an older layout',
      changed((r) => Object.assign(r, { version: 1 })),
      /^r\.json, version: .*another layout.*\n {2}got: {4}1, by hindcast 0\.1\.0\n {2}needed: 2\n {2}try: {4}make it anew/,
    ],
    [
      'a newer one',
      changed((r) => Object.assign(r, { version: 3 })),
      /a newer layout[\s\S]*try: {4}the version of hindcast that made it/,
    ],
    ['no version', changed((r) => Object.assign(r, { version: undefined })), /got: {4}none, by/],
    [
      'text for a number',
      changed((r) => Object.assign(r.policies[1], { value: '0.1' })),
      /^r\.json, policies\[1\]\.value: [\s\S]*got: {4}"0\.1"\n {2}needed: number/,
    ],
    [
      'a missing part',
      changed((r) => Object.assign(r, { uniformity: undefined })),
      /^r\.json, uniformity: [\s\S]*got: {4}nothing\n {2}needed: object/,
    ],
    [
      'an interval the wrong way round',
      changed((r) => r.policies[0].interval.reverse()),
      /policies\[0\]\.interval: [\s\S]*needed: the lower end first/,
    ],
    [
      'markup for a list',
      changed((r) => Object.assign(r, { warnings: '<script>' })),
      /^r\.json, warnings: [\s\S]*got: {4}"<script>"/,
    ],
    [
      'an index that is there twice',
      changed((r) => Object.assign(r.policies[2], { index: 0 })),
      /policies\[2\]\.index: .*do not belong together\n {2}got: {4}0/,
    ],
    [
      'a winner that is not there',
      changed((r) => Object.assign(r.selection?.winner ?? {}, { index: 77 })),
      /selection\.winner\.index: .*belong together/,
    ],
    [
      'blocks of another number',
      changed((r) => Object.assign(r.policies[0], { blocks: { matches: [1], payoff: [1] } })),
      /policies\[0\]\.blocks: [\s\S]*needed: 64 of each/,
    ],
    [
      'looks of another number',
      changed((r) => Object.assign(r.policies[0], { sequence: { lower: [0], upper: [1] } })),
      /policies\[0\]\.sequence: [\s\S]*needed: no looks/,
    ],
    ['a name that is there twice', text.replace('"version"', '"hindcast"'), /names a member twice/],
  ])('%s', (_, wrong, message) => {
    expect(() => readResult(wrong, 'r.json')).toThrow(InputError);
    expect(() => readResult(wrong, 'r.json')).toThrow(message);
  });
});
