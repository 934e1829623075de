/** What a picture of a report is, and the colours that it is drawn in. */

import type { Report } from '../model.js';

/** Colours by what they stand for. */
export interface Palette {
  readonly ink: string;
  readonly faint: string;
  readonly paper: string;
  /** Values, and what is known of them. */
  readonly value: string;
  readonly band: string;
  /** Behind those that may be the best. */
  readonly best: string;
  readonly log: string;
  readonly baseline: string;
  /** Colours of lines, for up to six of them. */
  readonly lines: readonly string[];
}

/** In a page, whose style sheet knows light and dark. */
export const PAGE: Palette = {
  ink: 'var(--ink)',
  faint: 'var(--faint)',
  paper: 'var(--paper)',
  value: 'var(--value)',
  band: 'var(--band)',
  best: 'var(--best)',
  log: 'var(--log)',
  baseline: 'var(--baseline)',
  lines: [1, 2, 3, 4, 5, 6].map((line) => `var(--line-${line})`),
};

/** In a file of its own, for programs that know no style sheets: dark on white. */
export const FILE: Palette = {
  ink: '#1c2128',
  faint: '#59626e',
  paper: '#ffffff',
  value: '#0b5394',
  band: '#a9c7e8',
  best: '#fff3c9',
  log: '#8a4b00',
  baseline: '#7a1fa2',
  lines: ['#0b5394', '#b3261e', '#1b7340', '#7a1fa2', '#8a4b00', '#00626e'],
};

/** How wide pictures are drawn, in CSS pixels: for screens and paper, and for telephones. */
export const WIDTHS = { wide: 720, narrow: 330 } as const;

/** A picture of a report. */
export interface Picture {
  /** Of its file, without ending, and of its element in the page. */
  readonly name: string;
  readonly title: string;
  /** What it shows, in whole sentences: for those who cannot see it, and those who want to be sure. */
  readonly finding: string;
  /** How to read it. */
  readonly key: string;
  /** SVG. */
  draw(width: number, palette: Palette): string;
}

/** Makes the picture of a report; `null`: the result does not hold what it takes. */
export type MakePicture = (report: Report) => Picture | null;
