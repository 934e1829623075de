/** The one function of jstat that is used: it brings no types. */
declare module 'jstat' {
  const jStat: {
    readonly gamma: {
      /** x with P(X ≤ x) = p, for a gamma distribution. */
      inv(p: number, shape: number, scale: number): number;
    };
  };
  export default jStat;
}
