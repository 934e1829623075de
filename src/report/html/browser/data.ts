/** The table's data, out of the element that holds them. */

import type { TableData } from '../table/cells.js';

/** `null`: this browser cannot unpack them, or there are none. */
export async function readData(): Promise<TableData | null> {
  const element = document.querySelector<HTMLScriptElement>('#data');
  if (element === null) return null;
  const text = element.textContent ?? '';
  if (element.type === 'application/json') return JSON.parse(text) as TableData;
  if (typeof DecompressionStream === 'undefined') return null;
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text()) as TableData;
}
