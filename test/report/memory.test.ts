import { expect, it } from 'vitest';
import { notesOf } from '#dist/cli/notes.js';
import { describeMemory } from '#dist/report/describe-memory.js';

const log = { droppedRows: [] };

it('memory within its bound is told, beyond it with what would have held', () => {
  expect(describeMemory({})).toEqual([]);
  const within = { memory: { limit: 256e6, least: 140e6, peak: 200.1e6 } };
  expect(describeMemory(within)).toEqual([
    { label: 'memory', text: '201\u00a0MB resident at most, 256\u00a0MB allowed' },
  ]);
  expect(notesOf({ log, engine: within, warnings: [] })).toBe('');
  const beyond = { memory: { limit: 64e6, least: 140e6, peak: 125e6 } };
  const text =
    '125\u00a0MB resident at most, 64\u00a0MB allowed; the program and the smallest batches of this log want 140\u00a0MB';
  expect(describeMemory(beyond)).toEqual([{ label: 'memory', text, warn: true }]);
  expect(notesOf({ log, engine: beyond, warnings: [] })).toBe(`hindcast: memory ${text}\n`);
  // A bound that should have held is not explained away.
  const broken = describeMemory({ memory: { limit: 150e6, least: 140e6, peak: 160e6 } });
  expect(broken).toEqual([{ label: 'memory', text: '160\u00a0MB resident at most, 150\u00a0MB allowed', warn: true }]);
  expect(describeMemory({ memory: { limit: 1e9, least: 0, peak: null } })[0].text).toBe('1000\u00a0MB allowed');
});
