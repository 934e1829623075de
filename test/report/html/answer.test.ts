/** What a report says first: never more than the result does. */

import { describe, expect, test } from 'vitest';
import { against, answerOf, restsOn } from '#dist/report/html/answer.js';
import { evaluationReport, type Report, replayReport } from '#dist/report/html/model.js';
import type { EvaluationResult } from '#dist/report/result.js';
import { learner, replaySample } from '../replay-sample.js';
import { policy, sample } from '../sample.js';
import { evaluation } from './samples.js';

const many = evaluation(30);
const selection = (part: Partial<NonNullable<EvaluationResult['selection']>>) =>
  many.selection && { ...many.selection, ...part };
const one = policy({ index: 0, name: 'only' });
const none = policy({ index: 0, name: 'never', matches: 0, payoff: 0, value: null, interval: [0, 1] });
const of = (part: Partial<EvaluationResult>): Report => evaluationReport(evaluation(30, part));

describe('the answer', () => {
  test.each<[what: string, report: Report, wanted: RegExp]>([
    [
      'of a clear winner',
      of({}),
      /^policy 0 looks best: 0\.07710 corrected[\s\S]*4 of 30 may be the best\. It is better than the log \(0\.03810\) by at least 0\.03070, 81 % more\.$/,
    ],
    [
      'of a large best set names no winner',
      of({ selection: selection({ bestSet: { size: 29, indices: [], paired: true } }) }),
      /^This log cannot tell which policy is best: 29 of 30 may be\. policy 0 has the largest value:/,
    ],
    [
      'of one that is not better',
      of({
        policies: many.policies.map((row) => ({
          ...row,
          difference: { value: 0.01, lower: -0.02, better: false, lift: 0.2 },
        })),
      }),
      /That it is better than the log \(0\.03810\) this log does not show\.$/,
    ],
    [
      'without bands',
      evaluationReport(sample()),
      /^Of 3 policies weights\.npy\[17\] has the largest value, 0\.061\d* \(95 %: [\d.]+ to [\d.]+\)\. That is not corrected for having been picked, and how many others may be the best this result does not say\. The log itself earned [\d.]+\. Of some policies nothing is known/,
    ],
    [
      'of one policy',
      evaluationReport(sample({ policies: [one] })),
      /^only is estimated to be worth 0\.0500 \(95 %: 0\.0341 to 0\.0728\)\. The log itself earned 0\.0381\.$/,
    ],
    [
      'without a match',
      evaluationReport(sample({ policies: [none] })),
      /^The policy matched no event: nothing is known of what it is worth\.$/,
    ],
    [
      'without any',
      evaluationReport(sample({ policies: [none, { ...none, index: 1 }] })),
      /^None of 2 policies matched an event: nothing is known/,
    ],
    [
      'where nothing has a value, with bands',
      of({ selection: selection({ winner: null }) }),
      /^No policy matched an event/,
    ],
    [
      'of learners',
      replayReport(replaySample()),
      /^Of 2 learners linucb alpha=1 earned the most, 0\.0610 per valid event \(95 %: 0\.0580 to 0\.0640\)\.[\s\S]*mean over replicas, which share this log\. This is about these runs: from another log learners would learn otherwise\.$/,
    ],
    [
      'of one learner',
      replayReport(replaySample({ learners: [learner({ index: 0, interval: null })] })),
      /^linucb alpha=0 earned 0\.0500 per valid event\. The log itself earned 0\.0381\. This is about these runs/,
    ],
  ])('%s', (_, report, wanted) => {
    expect(answerOf(report)).toMatch(wanted);
  });

  test('is of the best, in whatever order a file has them', () => {
    const result = sample({
      policies: [policy({ index: 0, value: 0.01 }), policy({ index: 1, name: 'best', value: 0.09 })],
    });
    expect(answerOf(evaluationReport(result))).toMatch(/^Of 2 policies best has the largest value/);
  });
});

test('what it rests on: matches, and with weights what these come to', () => {
  expect(restsOn(of({}))).toBe('It rests on 900 matches among 10,000 events.');
  const weights = { ess: 123.4, mean: 1, largest: 9, largestShare: 0.0712 };
  expect(restsOn(evaluationReport(sample({ policies: [{ ...one, weights }] })))).toBe(
    'It rests on 500 matches among 10,000 events, which weigh as much as 123 equal ones (ESS); the heaviest has 7.1 % of all weight.',
  );
  expect(restsOn(evaluationReport(sample({ policies: [none] })))).toBeNull();
  expect(restsOn(replayReport(replaySample()))).toBe(
    'It rests on 481 valid events of 10,000 events per replica, on average over 10 replicas.',
  );
});

test('what speaks against it: warnings as they are, and what was assumed, lost, or not verified', () => {
  expect(against(of({}))).toEqual([]);
  const { uniformity, log } = many;
  const droppedRows = [
    { kind: 'payoff is not a number', count: 3, first: 'x' },
    { kind: 'a stray blank', count: 9, first: 'x', lost: 'nothing' as const },
  ];
  const result = {
    warnings: ['take care'],
    uniformity: { ...uniformity, assumed: true },
    log: { ...log, droppedRows },
  };
  expect(against(of(result))).toEqual([
    `That decisions were uniformly random was assumed: ${uniformity.detail}`,
    '3 rows not used: payoff is not a number',
    'take care',
  ]);
  const replayed = replaySample();
  const verified = {
    ...{ replicas: 1, decisions: 9, differing: 1, beyond: 1, largest: 0.1, broken: 0, tolerance: 1e-6, every: true },
    ...{ passed: false, first: 'event 3: arm 1 for arm 2' },
  };
  expect(against(replayReport({ ...replayed, engine: { ...replayed.engine, verified } }))).toEqual([
    'Verification failed: event 3: arm 1 for arm 2. Do not rely on this result.',
  ]);
});
