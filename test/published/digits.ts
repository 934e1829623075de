/** Handwritten digits as a bandit: 64 real features and a constant, ten arms, uniform logging. */

import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { sharedText } from './reference.js';

export const D = 65;

/** Columns of a comma-separated file of numbers, by name. */
function columns(name: string): Record<string, number[]> {
  const [head, ...lines] = sharedText(name).trim().split('\n');
  const rows = lines.map((line) => line.split(',').map(Number));
  return Object.fromEntries(head.split(',').map((column, j) => [column, rows.map((row) => row[j])]));
}

/** The labelled images: `pixels[row]` is a context, `label[row]` the arm that pays 1. */
export function readImages(): { pixels: number[][]; label: number[] } {
  const digits = columns('data/digits_bandit/digits.csv');
  const pixels = digits.label.map((_, row) => [
    ...Array.from({ length: D - 1 }, (_, j) => digits[`x${j}`][row] / 16),
    1,
  ]);
  return { pixels, label: digits.label };
}

/** 10,000 events. */
export function readDigitsLog(): EventLog {
  const { pixels } = readImages();
  const { row, action, reward, prob } = columns('data/digits_bandit/log_uniform_seed1.csv');
  return logFromColumns({ arm: action, payoff: reward, propensity: prob, context: row.map((r) => pixels[r]) });
}
