/** The table of contents of a Parquet file: parsing it, and a text of it for a checksum. */

import { crc32 } from 'node:zlib';
import type { FileMetaData } from 'hyparquet';

/** CRC-32 over the header and everything that says where and how the columns lie, in hexadecimal. */
export function footerCheck(header: string, footer: Pick<FileMetaData, 'schema' | 'row_groups'>): string {
  const schema = footer.schema.map((element) => [
    element.name,
    element.type,
    element.converted_type,
    element.repetition_type,
    element.num_children,
  ]);
  let check = crc32(`${header}\n${JSON.stringify(schema)}`);
  for (const { num_rows, columns } of footer.row_groups) {
    const chunks = columns.map(({ meta_data: column }) => [
      column?.type,
      column?.codec,
      column?.encodings,
      column?.path_in_schema,
      ...[
        column?.num_values,
        column?.total_uncompressed_size,
        column?.total_compressed_size,
        column?.data_page_offset,
        column?.dictionary_page_offset,
      ].map(String),
    ]);
    check = crc32(JSON.stringify([String(num_rows), chunks]), check);
  }
  return check.toString(16).padStart(8, '0');
}
