/** A report as one page of HTML that opens anywhere: no network, its style and script in it and nothing else allowed. */

import { printable } from '../../printable.js';
import { describeFiles } from '../describe.js';
import { holdOutNotes } from '../hold-out.js';
import { toJson } from '../json.js';
import { toReplayJson } from '../replay-json.js';
import type { ReplayResult } from '../replay-result.js';
import type { EvaluationResult } from '../result.js';
import { against, answerOf, restsOn } from './answer.js';
import { all, type Child, Markup, tag } from './markup.js';
import { evaluationReport, type Report, replayReport } from './model.js';
import { type PictureFile, pictureFiles } from './pictures/files.js';
import { pictures } from './pictures/index.js';
import { tableOne } from './pictures/learning.js';
import { SCRIPT } from './script.generated.js';
import { fitness } from './sections/fitness.js';
import { figure, grid, section } from './sections/parts.js';
import { provenance } from './sections/provenance.js';
import { segments } from './sections/segments.js';
import { seriesOf } from './series-data.js';
import { shortText } from './short-names.js';
import { STYLE } from './style.js';
import { tableSection } from './table/table.js';
import { tableData } from './table/table-data.js';

/**
 * An evaluation as a page to send: one file, drawn from what its JSON holds and nothing else.
 *
 * @returns the text of an HTML file.
 */
export async function toHtml(result: EvaluationResult): Promise<string> {
  return pageOf(evaluationReport(JSON.parse(toJson(result)) as EvaluationResult));
}

/**
 * A replay of learners as a page to send: one file, drawn from what its JSON holds and nothing else.
 *
 * @returns the text of an HTML file.
 */
export async function toReplayHtml(result: ReplayResult): Promise<string> {
  return pageOf(replayReport(JSON.parse(toReplayJson(result)) as ReplayResult));
}

/** The pictures of an evaluation, each as an SVG file. */
export function evaluationPictures(result: EvaluationResult): PictureFile[] {
  return pictureFiles(evaluationReport(JSON.parse(toJson(result)) as EvaluationResult));
}

/** The pictures of a replay of learners, each as an SVG file. */
export function replayPictures(result: ReplayResult): PictureFile[] {
  return pictureFiles(replayReport(JSON.parse(toReplayJson(result)) as ReplayResult));
}

/** The page of a report. */
export async function pageOf(report: Report): Promise<string> {
  const { result } = report;
  const log = shortText(describeFiles(result.log));
  const title = report.kind === 'replay' ? `Learners replayed on ${log}` : `Which policy to ship: ${log}`;
  const head = tag(
    'head',
    {},
    tag('meta', { charset: 'utf-8' }),
    tag('meta', { 'http-equiv': 'Content-Security-Policy', content: await policyOf(SCRIPT, STYLE) }),
    tag('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    tag('meta', { name: 'generator', content: `hindcast ${result.hindcast}` }),
    // Or a browser asks the server of the page for one.
    tag('link', { rel: 'icon', href: 'data:,' }),
    tag('title', {}, title),
    tag('style', {}, new Markup(STYLE)),
  );
  const body = tag('body', {}, tag('main', {}, await content(report, title)), tag('script', {}, new Markup(SCRIPT)));
  return `<!doctype html>\n${tag('html', { lang: 'en' }, head, body).text}\n`;
}

async function content(report: Report, title: string): Promise<Markup> {
  const { noun, rows } = report;
  const rests = restsOn(report);
  const sections: readonly (readonly [id: string, heading: string, content: readonly Child[]])[] = [
    [
      'compared',
      `The ${noun[1]} compared`,
      [ofPart(report), ...pictures(report, 'comparison').map(figure), printedTable(report)],
    ],
    ['time', 'Over time', pictures(report, 'time').map(figure)],
    ['segments', 'By segment', segments(report)],
    ['fitness', 'Is the log fit for it?', [...fitness(report), ...pictures(report, 'fitness').map(figure)]],
    ['all', `All ${noun[1]}`, rows.length === 0 ? [] : [await tableSection(tableData(report, seriesOf(report)))]],
    ['provenance', 'How it was made', [provenance(report)]],
  ];
  const made = sections.flatMap(([id, heading, parts]) => {
    const markup = section(id, heading, parts);
    return markup === null ? [] : [{ id, heading, markup }];
  });
  return all(
    tag('h1', {}, title),
    tag('p', { class: 'answer', id: 'answer' }, printable(answerOf(report)).replaceAll(/(\d) %/g, '$1\u00a0%')),
    rests !== null && tag('p', {}, rests),
    objections(against(report)),
    tag(
      'nav',
      { 'aria-label': 'Sections' },
      tag(
        'ul',
        {},
        made.map(({ id, heading }) => tag('li', {}, tag('a', { href: `#${id}` }, heading))),
      ),
    ),
    made.map(({ markup }) => markup),
    tag('div', { class: 'picked', id: 'picked', hidden: true, role: 'region', 'aria-label': `Chosen ${noun[0]}` }),
    tag(
      'footer',
      {},
      `Made by hindcast ${report.result.hindcast} from its result. What was fitted on this log is covered by none of this.`,
    ),
  );
}

/** With a hold-out: what is not of the whole log. */
function ofPart({ kind, result }: Report): Markup | null {
  const notes = kind === 'replay' ? [] : holdOutNotes(result as EvaluationResult);
  if (notes.length === 0) return null;
  return tag('p', {}, notes.join(' '), ' So are the pictures and the table, but where the other part is named.');
}

/** Table 1 of the paper, of a replay of learners. */
function printedTable(report: Report): Markup | null {
  if (report.kind !== 'replay' || report.rows.length === 0) return null;
  const { heads, rows } = tableOne(report);
  return grid('As Table 1 of the paper: payoff per valid event over replicas, in the order of the file', heads, rows);
}

function objections(found: readonly string[]): Markup | null {
  if (found.length === 0) return null;
  return tag(
    'aside',
    { class: 'against', 'aria-labelledby': 'against' },
    tag('h2', { id: 'against' }, 'What speaks against it'),
    tag(
      'ul',
      {},
      found.map((text) => tag('li', {}, text)),
    ),
  );
}

/** This very script and this very style, and nothing from anywhere. */
async function policyOf(script: string, style: string): Promise<string> {
  return [
    "default-src 'none'",
    `script-src '${await hashOf(script)}'`,
    `style-src '${await hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
