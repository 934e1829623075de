/** JSON lines as a target of the fuzzer. */

import { referenceJsonl } from './jsonl-reference.mjs';
import { textTarget } from './text-target.mjs';

export const target = textTarget({
  name: 'jsonl',
  reference: referenceJsonl,
  separators: ' ,:{}[]"\r\n',
  seeds: [
    '{"arm":"a","payoff":1,"x":0.5,"k":"u"}\n{"arm":"b","payoff":0,"x":-2,"k":"v"}\n{"arm":"a","payoff":1,"x":1e3,"k":"u"}\n',
    '{"k":"a\\nb","more":[1,{"arm":"z"}],"x":1,"payoff":0,"arm":"c, \\"d\\""}\r\n\r\n{"x":2,"arm":7,"k":true,"payoff":true}\n',
    '\ufeff{"arm":"é","payoff":0.25,"x":1,"k":""}\n{"arm":"\\u00e9","payoff":1,"x":"2","k":12345678901234567890}\n',
    '{"arm":"a","payoff":1,"x":1,"k":"u"}\n{"arm":null,"payoff":1,"x":1,"k":"u"}\nnot json\n[1]\n{"arm":"b","payoff":0,"x":2,"k":"v"}',
    Array.from({ length: 20 }, (_, i) =>
      JSON.stringify({ arm: `a${i % 3}`, payoff: i % 2, x: i / 8, k: `k${i % 5}`, ...(i > 9 ? { late: i } : {}) }),
    ).join('\n'),
  ],
});
