/** The whole table of a report, as columns. */

import { percent } from '../../numbers.js';
import type { EvaluationResult } from '../../result.js';
import type { Report, Row } from '../model.js';
import { reportDecimals } from '../values.js';
import type { Cell, ColumnKind, TableColumn, TableData } from './cells.js';

/** Digits of numbers in the page; the JSON result has them all. */
export const DIGITS = 7;

type Field = readonly [name: string, head: string, kind: ColumnKind, cell: (row: Row) => Cell | undefined];

/** @param series what pictures over time draw, by their names. */
export function tableData(report: Report, series: TableData['series'] = {}): TableData {
  const { rows, noun, total } = report;
  const decimals = reportDecimals(report);
  const fields = [NAME, ...(report.kind === 'replay' ? learnerFields(report) : policyFields(report)), ...IDENTITY];
  return {
    ...{ noun, total, series },
    columns: fields.map(
      ([name, head, kind, cell]): TableColumn => ({
        ...{ name, head, kind, decimals },
        cells: rows.map((row) => rounded(cell(row) ?? null)),
      }),
    ),
  };
}

const NAME: Field = ['name', 'name', 'name', ({ name }) => name];

/** What tells rows of one name apart. */
const IDENTITY: readonly Field[] = [
  ['family', 'family', 'text', ({ family }) => family],
  ['index', 'index', 'index', ({ index }) => index],
];

function policyFields(report: Report): Field[] {
  const { rows, level, bandName } = report;
  const { estimator, estimators, policies } = report.result as EvaluationResult;
  const weighted = rows.some(({ ess }) => ess !== null);
  const byIndex = new Map(policies.map((policy) => [policy.index, policy]));
  const others = estimators.slice(1).map(({ name }): Field => {
    return [`${name}.value`, name, 'number', ({ index }) => byIndex.get(index)?.estimates[name]?.value];
  });
  const consumed: readonly Field[] =
    estimator.algorithm === 1 ? [['consumed', 'consumed', 'count', ({ index }) => byIndex.get(index)?.consumed]] : [];
  const weights: readonly Field[] = weighted
    ? [
        ['ess', 'ESS', 'count', ({ ess }) => (ess === null ? null : shortCount(ess))],
        ['largestShare', 'largest weight', 'share', ({ largestShare }) => largestShare],
      ]
    : [['payoff', 'payoff', 'count', ({ index }) => byIndex.get(index)?.payoff]];
  const own = `${percent(level)} interval${bandName === null ? '' : ', by itself'}`;
  return [
    ['value', 'value', 'number', ({ value }) => value],
    ...standingFields(report),
    ...range('interval', own, ({ interval }) => interval),
    ['matches', 'matches', 'count', ({ matches }) => matches],
    ...consumed,
    ...weights,
    ...others,
  ];
}

/** Effective events: whole ones, or a decimal where they are few. */
function shortCount(events: number): number {
  return events < 10 ? Number(events.toFixed(1)) : Math.round(events);
}

function learnerFields(report: Report): Field[] {
  const { level, rows } = report;
  const own = range('interval', `${percent(level)} interval over replicas`, ({ interval }) => interval);
  return [
    ['mean', 'mean', 'number', ({ value }) => value],
    ...standingFields(report),
    ['std', 'std', 'number', ({ learner }) => learner?.std],
    ['max', 'max', 'number', ({ learner }) => learner?.max],
    ['min', 'min', 'number', ({ learner }) => learner?.min],
    ...(rows.some(({ interval }) => interval !== null) ? own : []),
    ['matches', 'valid events', 'count', ({ matches }) => Math.round(matches)],
  ];
}

function standingFields({ bandName, selection, baseline, level }: Report): Field[] {
  const band = range(bandName ?? 'band', `${percent(level)} ${bandName}`, (row) => row.band);
  return [
    ...(bandName === null ? [] : band),
    ...(baseline === null
      ? []
      : [
          ['differenceLower', 'better by ≥', 'signed', ({ difference }: Row) => difference?.lower] as const,
          ['better', 'better', 'flag', ({ difference }: Row) => difference?.better ?? false] as const,
        ]),
    ...(selection === null ? [] : [['mayBeBest', 'may be best', 'flag', ({ mayBeBest }: Row) => mayBeBest] as const]),
  ];
}

function range(name: string, head: string, of: (row: Row) => readonly [number, number] | null): Field[] {
  return [
    [`${name}Lower`, head, 'low', (row) => of(row)?.[0]],
    [`${name}Upper`, head, 'high', (row) => of(row)?.[1]],
  ];
}

function rounded(cell: Cell): Cell {
  return typeof cell === 'number' && !Number.isInteger(cell) ? Number(cell.toPrecision(DIGITS)) : cell;
}
