/** The pictures of a report as files. */

import type { Report } from '../model.js';
import { pictures } from './index.js';
import { FILE, WIDTHS } from './picture.js';
import { asFile } from './plot.js';

/** A picture as a file. */
export interface PictureFile {
  /** Name of the file. */
  readonly name: string;
  /** SVG. */
  readonly text: string;
}

/** The pictures of a report, each as a file that opens by itself. */
export function pictureFiles(report: Report): PictureFile[] {
  return pictures(report).map(({ name, title, finding, key, draw }) => ({
    name: `${name}.svg`,
    text: asFile(draw(WIDTHS.wide, FILE), title, `${finding} ${key}`, FILE.paper),
  }));
}
