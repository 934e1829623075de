import { drawMaxima } from './dist/engine/cpu/draws.js';
import { drawProblem, makeDraws, referenceMaxima } from './dist/estimate/selection/draws.js';

function rnd(P, B) {
  const common = Array.from({ length: B }, () => Math.random() - 0.5);
  return Array.from({ length: P }, () => {
    const r = Float64Array.from({ length: B }, (_, b) => (Math.random() - 0.5) * 0.001 + common[b] * 0.0005);
    return r;
  });
}
{
  const d = makeDraws(37, 101, 5);
  const inf = rnd(33, 37);
  const vals = inf.map(() => Math.random() * 0.001);
  const pr = drawProblem(d, inf, vals);
  const a = referenceMaxima(pr),
    b = await drawMaxima(pr);
  console.log(
    Buffer.compare(Buffer.from(a.twoSided.buffer), Buffer.from(b.twoSided.buffer)),
    Buffer.compare(Buffer.from(a.oneSided.buffer), Buffer.from(b.oneSided.buffer)),
    a.best.every((x, i) => x === b.best[i]),
    new Set(a.best).size,
  );
}
let t = performance.now();
const d = makeDraws(256, 10000, 0);
console.log('draws ms', performance.now() - t);
t = performance.now();
const inf = rnd(10000, 256);
console.log('gen', performance.now() - t);
t = performance.now();
const pr = drawProblem(
  d,
  inf,
  inf.map(() => 0.05),
);
console.log('problem', performance.now() - t);
t = performance.now();
let c = process.cpuUsage();
await drawMaxima(pr);
c = process.cpuUsage(c);
console.log('maxima wall', performance.now() - t, 'cpu', (c.user + c.system) / 1e6);
