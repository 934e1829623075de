/** `random`: a uniformly random candidate per event. The baseline: its value is the logging policy's. */

import { strict } from '../policy/spec-faults.js';
import type { Algorithm, Learner } from './learner.js';

export const random: Algorithm = {
  name: 'random',
  summary: 'a uniformly random candidate; learns nothing',
  source: 'baseline of Li, Chu, Langford & Wang, WSDM 2011',
  schema: strict({}),
  kind: 'integer',
  create(_parameters, _log, draws): Learner {
    return {
      choose: (event, { arms, from, to }) => arms[from + draws.index(event, to - from, 1)],
      update: () => {},
      state: () => ({}),
      carry: () => {},
    };
  },
};
