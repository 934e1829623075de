import { expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { armIds, MAPPING, payoffs } from '../../log/files.js';
import { sharedFile } from '../reference.js';

it('columns that differ in case, or are called as one of DuckDB, are read by their own names', async () => {
  for (const name of ['case.parquet', 'file_row_number.parquet']) {
    const log = await readLog([sharedFile(`cases/parquet-columns-by-case/${name}`)], { mapping: MAPPING });
    expect([name, armIds(log), payoffs(log)]).toEqual([name, ['a', 'b'], [1, 0]]);
  }
});
