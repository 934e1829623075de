/** Where a result came from: files with their hashes, options, engine, seeds. */

import type { InputFile } from '../../../log/inputs.js';
import { describeResult } from '../../describe.js';
import type { Fact } from '../../facts.js';
import { count } from '../../numbers.js';
import type { ReplayResult } from '../../replay-result.js';
import { describeReplayResult } from '../../replay-table.js';
import type { EvaluationResult } from '../../result.js';
import { all, type Markup, tag } from '../markup.js';
import type { Report } from '../model.js';
import { factList, grid } from './parts.js';

/** Warnings and what was dropped stand further up, as what speaks against the answer and as the state of the log. */
const ELSEWHERE = new Set(['warning', 'dropped', 'left out', 'not read', 'forgiven', 'uniform']);

/** The section's content. */
export function provenance({ kind, result }: Report): Markup {
  const facts: Fact[] =
    kind === 'evaluation' ? describeResult(result as EvaluationResult) : describeReplayResult(result as ReplayResult);
  return all(
    factList([
      { label: 'hindcast', text: `${result.hindcast}, layout ${result.version} of the result` },
      ...facts.filter(({ label }) => !ELSEWHERE.has(label)),
      ...seeds({ kind, result }),
    ]),
    result.inputs.length > 0 && files(result.inputs),
    ...rerun(result.command),
    details('The mapping of the log, ready to be a mapping file', result.log.mapping),
    details('Options of its reading', Object.keys(result.log.options).length === 0 ? null : result.log.options),
  );
}

function seeds({ kind, result }: Pick<Report, 'kind' | 'result'>): Fact[] {
  const { selection } = result;
  const drawn = selection === null ? [] : [`bands ${selection.seed}`];
  const policies = kind === 'evaluation' ? (result as EvaluationResult).seeds.policies : [];
  const all = [
    ...drawn,
    ...(policies.length > 0
      ? [`policies that draw ${policies.slice(0, 20).join(', ')}${policies.length > 20 ? ', …' : ''}`]
      : []),
    ...(kind === 'replay' ? [`replicas ${(result as ReplayResult).replay.seed}`] : []),
  ];
  return all.length === 0 ? [] : [{ label: 'seeds', text: all.join('; ') }];
}

function files(inputs: readonly InputFile[]): Markup {
  const rows = inputs.flatMap((file) => [
    file,
    ...(file.from ?? []).map((from) => ({ ...from, role: `${from.role}, packed from` })),
  ]);
  return grid(
    'Files that the result was made of',
    [
      ['file', false],
      ['is', false],
      ['bytes', true],
      ['hash', false],
    ],
    rows.map(({ path, role, bytes, hash }) => [path ?? 'made in code', role, bytes === null ? '' : count(bytes), hash]),
  );
}

function details(summary: string, value: unknown): Markup | null {
  if (value === null || value === undefined) return null;
  const lines = JSON.stringify(value, null, 2).split('\n');
  return tag(
    'details',
    {},
    tag('summary', {}, summary),
    tag(
      'pre',
      { tabindex: '0', role: 'region', 'aria-label': summary },
      lines.map((line, i) => (i === 0 ? line : all(NEW_LINE, line))),
    ),
  );
}

/** How to make it again. @param command of the command line; results of code have none. */
function rerun(command: string | undefined): Markup[] {
  if (command === undefined) return [tag('p', { class: 'note' }, `To make it again: ${AGAIN}`)];
  return [
    tag('p', { class: 'note' }, `To make it again, in the folder where it was made: ${AGAIN}`),
    tag('pre', { tabindex: '0', role: 'region', 'aria-label': 'The command' }, command),
  ];
}

/** What must be the same. */
const AGAIN =
  'hindcast of this version, files of these hashes, the mapping below and the options that the list above names. Sums are the same on any engine.';
/** Between lines, as text that is spelt out has none of its own. */
const NEW_LINE = tag('br');
