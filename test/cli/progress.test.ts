import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { progressDisplay } from '#dist/cli/progress.js';
import { captured } from './in-process.js';

const SHOW_CURSOR = '\u001b[?25h';
const HIDE_CURSOR = '\u001b[?25l';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('progress', () => {
  test('shows phase, share, rate and time left after a second, and restores the cursor', async () => {
    const io = captured({ tty: true });
    const display = await progressDisplay(io, false);
    display.report({ phase: 'evaluate', done: 0, total: 1e9 });
    await vi.advanceTimersByTimeAsync(1500);
    expect(io.stderr.text).toContain(HIDE_CURSOR);
    display.report({ phase: 'evaluate', done: 2.5e8, total: 1e9 });
    await vi.advanceTimersByTimeAsync(500);
    expect(io.stderr.text).toMatch(/evaluating █+░+ {2}25 % {2}125M decisions\/s {2}6 s left/);
    display.stop();
    display.stop();
    expect(io.stderr.text.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(io.stderr.text.lastIndexOf(HIDE_CURSOR));
    expect(io.stdout.text).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an unknown total shows what was done', async () => {
    const io = captured({ tty: true });
    const display = await progressDisplay(io, false);
    display.report({ phase: 'load', done: 0, total: null });
    await vi.advanceTimersByTimeAsync(2000);
    display.report({ phase: 'load', done: 4e6, total: null });
    await vi.advanceTimersByTimeAsync(500);
    display.stop();
    expect(io.stderr.text).toMatch(/loading {2}4M rows {2}[\d.]+M rows\/s/);
  });

  test('short work shows nothing', async () => {
    const io = captured({ tty: true });
    const display = await progressDisplay(io, false);
    display.report({ phase: 'load', done: 10, total: 10 });
    await vi.advanceTimersByTimeAsync(900);
    display.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(io.stderr.text).toBe('');
  });

  test.each([
    ['a pipe', { tty: false }, false],
    ['--quiet', { tty: true }, true],
    ['a dumb terminal', { tty: true, env: { TERM: 'dumb' } }, false],
  ])('nothing is shown with %s', async (_, part, quiet) => {
    const io = captured(part);
    const display = await progressDisplay(io, quiet);
    display.report({ phase: 'load', done: 10, total: 100 });
    await vi.advanceTimersByTimeAsync(5000);
    display.report({ phase: 'load', done: 100, total: 100 });
    display.stop();
    expect(io.stderr.text).toBe('');
  });

  test('no line is wider than a narrow terminal', async () => {
    const io = captured({ tty: true });
    io.stderr.columns = 30;
    const display = await progressDisplay(io, false);
    display.report({ phase: 'evaluate', done: 1, total: 1e12 });
    await vi.advanceTimersByTimeAsync(3000);
    display.stop();
    const drawn = io.stderr.text.split(/\u001b\[[\d?;]*[A-Za-z]|\u001b[78]/).filter((line) => line !== '');
    for (const line of drawn) expect(line.length).toBeLessThan(30);
  });
});
