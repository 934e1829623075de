/** Packed logs, as `hindcast convert` writes them. */

import { CREATED_BY } from '../packed/layout.js';
import { isParquet } from './files.js';
import type { EventFormat } from './source.js';

export const packed: EventFormat = {
  name: 'packed',
  extensions: [],
  sniff({ bytes, tail }) {
    if (!isParquet(bytes)) return false;
    // A Parquet file without its end is none for anybody: the reader says so.
    return tail.includes(CREATED_BY) || tail.subarray(-4).toString('latin1') !== 'PAR1';
  },
  // A packed log is a stream already: whoever wants stretches opens it as one.
  async read(files, options) {
    const { readPacked } = await import('../packed/read-files.js');
    return readPacked(
      files.map(({ file }) => file),
      options,
    );
  },
};
