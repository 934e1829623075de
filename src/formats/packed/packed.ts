/** Packed logs, as `hindcast convert` writes them. */

import { isPacked } from '../../packed/layout.js';
import type { EventFormat } from '../format.js';

export const packed: EventFormat<'packed'> = {
  isText: false,
  name: 'packed',
  extensions: [],
  sniff: isPacked,
  // A packed log is a stream already: whoever wants batches opens it as one.
  async read(files, options) {
    const { readPacked } = await import('./read-files.js');
    return readPacked(
      files.map(({ file }) => file),
      options,
    );
  },
};
