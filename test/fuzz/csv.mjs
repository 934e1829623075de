/** CSV as a target of the fuzzer. */

import { referenceCsv } from './csv-reference.mjs';
import { textTarget } from './text-target.mjs';

export const target = textTarget({
  name: 'csv',
  reference: referenceCsv,
  separators: ',;|\t\r\n"',
  seeds: [
    'arm,payoff,x,k\na,1,0.5,u\nb,0,-2,v\na,1,1e3,u\n',
    'k,x,payoff,arm,more\n"u, v",1,0,"a ""b""",\n"two\nlines",2,1,c,"z"\n,3,1,d,e\nw,4,0.25,a,\n',
    '\n\r\n \narm,payoff,x,k\r\n1,true,1,é\r\n1,FALSE,2,"é\r\n"\r\n2,1,3,漢\r\n',
    '\ufeff"arm";"payoff";"x";"k"\n"a";"1";"2";"a;b"\n"b";"0";"3";"c"\n',
    'arm,payoff,x,k\na,1,2,u\nb,0\n"c"d,1,2,v\ne,one,2,v\nf,0,3,w',
    `arm,payoff,x,k\n${Array.from({ length: 20 }, (_, i) => `a${i % 3},${i % 2},${i / 8},k${i % 5}`).join('\n')}\n`,
  ],
});
