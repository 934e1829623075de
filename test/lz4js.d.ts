declare module 'lz4js' {
  const lz4: { compress(content: Uint8Array): Uint8Array };
  export default lz4;
}
