/** Sizes of a replica's large arrays, told before any is made. */

import type { EventLog } from '../log/event-log.js';
import { armArithmetic, hybridArithmetic } from './linear/conditioning.js';

/** An array that one replica holds, or several alike. */
export interface StateArray {
  readonly what: string;
  /** Where the bytes come from, written out: `2 arms × 60000 × 60001 / 2 × 8 bytes`. */
  readonly product: string;
  readonly bytes: number;
}

/** Feature rows up to which, or up to as many as arms, hybrid models keep the forms of every row. */
export const FEW_ROWS = 1024;

/** Of a linear model per arm (`linear-model.ts`). @param least what there is whatever the contexts hold, which are not looked at. */
export function linearArrays(log: EventLog, lambda: number, least: boolean): StateArray[] {
  const arms = log.arms.ids.length;
  const d = log.contexts.dimension;
  const { wide, formed } = least ? { wide: false, formed: false } : armArithmetic(log, lambda);
  if (wide) {
    const what = 'triangular factors in double-doubles';
    return [{ what, product: `${arms} arms × ${d} × ${d + 1} × 16 bytes`, bytes: 16 * arms * d * (d + 1) }];
  }
  return [
    triangles('roots of the inverse matrices', arms, d),
    ...(formed ? [triangles('inverse matrices', arms, d)] : []),
    { what: 'products of context columns', product: `${d} × ${d + 1} / 2 × 12 bytes`, bytes: 6 * d * (d + 1) },
  ];
}

/** Of the hybrid model (`hybrid-model.ts`). @param product z is the products of arm features and context. */
export function hybridArrays(log: EventLog, lambda: number, product: boolean, least: boolean): StateArray[] {
  const arms = log.arms.ids.length;
  const d = log.contexts.dimension;
  const { dimension: width = 0, rows = 0 } = log.armFeatures ?? {};
  const k = product ? width * d : width;
  const m = product ? d : d + 1;
  const { wide, formed } = least ? { wide: false, formed: false } : hybridArithmetic(log, lambda, product);
  if (wide) {
    return [
      {
        what: "arms' factors in double-doubles",
        product: `${arms} arms × ${d} × ${d + k + 1} × 16 bytes`,
        bytes: 16 * arms * d * (d + k + 1),
      },
      { what: 'the shared factor', product: `${k} × ${k + 1} × 16 bytes`, bytes: 16 * k * (k + 1) },
    ];
  }
  const state = [
    { what: 'root of the shared inverse', product: `${k} × ${k + 1} / 2 × 8 bytes`, bytes: 4 * k * (k + 1) },
    triangles('roots of the inverse matrices', arms, d),
    { what: "arms' shares in z", product: `${arms} arms × ${d} × ${k} × 8 bytes`, bytes: 8 * arms * d * k },
  ];
  if (!formed || rows > Math.max(FEW_ROWS, arms)) return state;
  return [
    ...state,
    { what: 'weights of feature rows', product: `${rows} rows × ${m} × ${k} × 8 bytes`, bytes: 8 * rows * m * k },
    { what: 'products of context columns', product: `${m} × ${m + 1} / 2 × 12 bytes`, bytes: 6 * m * (m + 1) },
    {
      what: 'forms of feature rows',
      product: `${rows} rows × ${m} × ${m + 1} / 2 × 8 bytes`,
      bytes: 4 * rows * m * (m + 1),
    },
  ];
}

/** Packed lower triangles of order d, one per arm. */
export function triangles(what: string, arms: number, d: number): StateArray {
  return { what, product: `${arms} arms × ${d} × ${d + 1} / 2 × 8 bytes`, bytes: 4 * arms * d * (d + 1) };
}

/** Square matrices of order d, one per arm. */
export function squares(what: string, arms: number, d: number): StateArray {
  return { what, product: `${arms} arms × ${d} × ${d} × 8 bytes`, bytes: 8 * arms * d * d };
}
