import { describe, expect, it } from 'vitest';
import { r6aPool, r6bPool, writeR6aLines, writeR6bLines } from '#dist/simulate/yahoo-text.js';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

describe('lines of R6A and R6B', () => {
  const columns = { seconds: [1241160900, 0], displayed: [100002, 7], click: [0, 1], pool: [1, 0] };
  const user = [0.1, 0.2, 0.3, 0.15, 0.25, 1, 1.5, -0.25, 12345.678901, 0, 0.0000004, 1];
  const six = [0.5, 0.1, 0.1, 0.1, 0.2, 1];

  it('are those of the format', () => {
    const pools = [r6aPool([7], six), r6aPool([100001, 100002], [...six, ...six])];
    expect(text(writeR6aLines({ ...columns, user, pools }, 0, 2)).split('\n')).toEqual([
      '1241160900 100002 0 |user 2:0.100000 3:0.200000 4:0.300000 5:0.150000 6:0.250000 1:1.000000 ' +
        '|100001 2:0.500000 3:0.100000 4:0.100000 5:0.100000 6:0.200000 1:1.000000 ' +
        '|100002 2:0.500000 3:0.100000 4:0.100000 5:0.100000 6:0.200000 1:1.000000',
      '0 7 1 |user 2:1.500000 3:-0.250000 4:12345.678901 5:0.000000 6:0.000000 1:1.000000 ' +
        '|7 2:0.500000 3:0.100000 4:0.100000 5:0.100000 6:0.200000 1:1.000000',
      '',
    ]);
    const events = {
      ...columns,
      pools: [r6bPool([7]), r6bPool([3, 1, 2])],
      userFeatures: [1, 136, 9],
      userOffsets: [0, 3, 3],
    };
    expect(text(writeR6bLines(events, 0, 2))).toBe(
      '1241160900 id-100002 0 |user 1 136 9 |id-3 |id-1 |id-2\n0 id-7 1 |user |id-7\n',
    );
  });

  it('are the same in parts, and none of none', () => {
    const pools = [r6aPool([7], six), r6aPool([8], six)];
    const events = { ...columns, user, pools };
    expect(text(writeR6aLines(events, 0, 1)) + text(writeR6aLines(events, 1, 2))).toBe(
      text(writeR6aLines(events, 0, 2)),
    );
    expect(writeR6aLines(events, 1, 1)).toHaveLength(0);
  });
});
