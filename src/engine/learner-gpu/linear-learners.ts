/** `LEARNER` of shaders/learner/linear.wgsl. */
export const LEARNER = { linucb: 0, 'lin-thompson': 1, cemp: 2 } as const;
