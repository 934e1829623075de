/** Result → Parquet: the rows of the CSV file, and all else of the result as JSON in the file's metadata. */

import { parquetWriteBuffer } from 'hyparquet-writer';
import type { ReplayResult } from './replay-result.js';
import type { EvaluationResult } from './result.js';
import { learnerColumns, policyColumns, type ResultColumn } from './result-columns.js';

/** Metadata key of what stands above the rows: log, uniformity, estimator, interval, engine, warnings. */
export const RESULT_KEY = 'hindcast';

const TYPES = { count: 'INT64', number: 'DOUBLE', text: 'STRING', flag: 'BOOLEAN' } as const;

/** A Parquet file with one row per policy, learner or replica; counts are 64-bit integers, `null` is null. */
export function toParquet(result: EvaluationResult | ReplayResult): Uint8Array {
  const columns = 'policies' in result ? policyColumns(result) : learnerColumns(result);
  const about = { ...result, policies: undefined, learners: undefined };
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: columns.map(({ name, type, values }) => ({
        name,
        type: TYPES[type],
        nullable: true,
        data: type === 'count' ? wide(values) : [...values],
      })),
      kvMetadata: [{ key: RESULT_KEY, value: JSON.stringify(about) }],
    }),
  );
}

function wide(values: ResultColumn['values']): (bigint | null)[] {
  return values.map((value) => (value === null ? null : BigInt(value)));
}
