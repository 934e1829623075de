/** The pictures of a report, in its order. A new one is a file and a line here. */

import type { Report } from '../model.js';
import { distribution } from './distribution.js';
import { forest } from './forest.js';
import { heldOut } from './held-out.js';
import { againstT, learningCurves, runs } from './learning.js';
import { looks } from './looks.js';
import { matches } from './matches.js';
import { convergence, overTime } from './over-time.js';
import type { MakePicture, Picture } from './picture.js';
import { winner } from './winner.js';

/** Parts of a page that have pictures. */
export type Part = 'comparison' | 'time' | 'fitness';

const PICTURES: readonly (readonly [Part, MakePicture])[] = [
  ['comparison', forest],
  ['comparison', winner],
  ['comparison', heldOut],
  ['comparison', distribution],
  ['comparison', runs],
  ['time', overTime],
  ['time', learningCurves],
  ['time', convergence],
  ['time', againstT],
  ['time', looks],
  ['fitness', matches],
];

/** Those that the result holds what it takes for. */
export function pictures(report: Report, part?: Part): Picture[] {
  return PICTURES.flatMap(([of, make]) => (part === undefined || of === part ? (make(report) ?? []) : []));
}
