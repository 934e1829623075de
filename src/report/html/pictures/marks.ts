/** Marks and axes that several pictures have. */

import * as Plot from '@observablehq/plot';
import type { Palette } from './picture.js';
import { as } from './plot.js';

/** Room around a picture; the axis is in the lower margin. */
export const MARGINS = { marginTop: 14, marginRight: 18, marginBottom: 44, marginLeft: 56 } as const;

/** An axis of values, or of whatever has that name. */
export function axis(label: string, width: number): Plot.ScaleOptions {
  return { label, labelAnchor: 'center', labelArrow: 'none', nice: true, ticks: width < 500 ? 4 : 8 };
}

/** Faint lines across. */
export function gridX({ faint }: Palette): Plot.Markish {
  return Plot.gridX({ stroke: faint, strokeOpacity: 0.25 });
}

/** Faint lines from left to right. */
export function gridY({ faint }: Palette): Plot.Markish {
  return Plot.gridY({ stroke: faint, strokeOpacity: 0.25 });
}

/** Lines of the log's own mean and of the baseline, where there are such. */
export function references(
  logged: number | null,
  baseline: { readonly index: number | null; readonly value: number } | null,
  palette: Palette,
  rule: typeof ruleX = ruleX,
): Plot.Markish[] {
  return [
    ...rule(logged, 'log', palette.log, '5,3'),
    // The log as the baseline is there already.
    ...rule(
      baseline === null || baseline.index === null ? null : baseline.value,
      'baseline',
      palette.baseline,
      '1.5,3',
    ),
  ];
}

/** A line from top to bottom; `null`: none. */
export function ruleX(value: number | null, name: string, stroke: string, strokeDasharray?: string): Plot.Markish[] {
  return value === null ? [] : [Plot.ruleX([value], { stroke, strokeDasharray, strokeWidth: 1.5, ...as(name) })];
}

/** A line from left to right; `null`: none. */
export function ruleY(value: number | null, name: string, stroke: string, strokeDasharray?: string): Plot.Markish[] {
  return value === null ? [] : [Plot.ruleY([value], { stroke, strokeDasharray, strokeWidth: 1.5, ...as(name) })];
}
