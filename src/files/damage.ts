/** What can be wrong with a compressed file: the problem that an error names, and that readers count under. */
export const DAMAGED = {
  cutGzip: 'the compressed file ends too early',
  damagedGzip: 'the compressed file is damaged',
} as const;
