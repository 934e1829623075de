import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { withOutput } from '#dist/cli/output.js';
import { captured } from './in-process.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hindcast-output-'));
});

const never = async (): Promise<string> => {
  throw new Error('the work must not have started');
};

describe('output', () => {
  test('goes to standard output without a path', async () => {
    const io = captured();
    await withOutput(undefined, [], io, async () => 'text\n');
    expect(io.stdout.text).toBe('text\n');
  });

  test('a file appears whole, with nothing beside it, and replaces an older one', async () => {
    const path = join(folder, 'r.json');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    await withOutput(path, [], captured(), async () => {
      expect(readFileSync(path, 'utf8')).toBe('old');
      return 'new';
    });
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['r.json']);
  });

  test('a link stays a link', async () => {
    writeFileSync(join(folder, 'real.json'), 'old');
    symlinkSync('real.json', join(folder, 'link.json'));
    await withOutput(join(folder, 'link.json'), [], captured(), async () => 'new');
    expect(readFileSync(join(folder, 'real.json'), 'utf8')).toBe('new');
  });

  test('nothing is left after a failure, and an older file is kept', async () => {
    const path = join(folder, 'r.json');
    writeFileSync(path, 'old');
    const failing = withOutput(path, [], captured(), async () => {
      throw new Error('computation failed');
    });
    await expect(failing).rejects.toThrow('computation failed');
    expect(readdirSync(folder)).toEqual(['r.json']);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  test('nothing is left after an interruption', async () => {
    const controller = new AbortController();
    const work = withOutput(join(folder, 'r.json'), [], captured({ signal: controller.signal }), async () => {
      controller.abort(new Error('stop'));
      return 'text';
    });
    await expect(work).rejects.toThrow('stop');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['a missing folder', () => join(folder, 'none', 'r.json'), /there is no folder .*none\n.*\n {2}try: {4}mkdir -p/],
    ['a folder', () => folder, /the output is a directory/],
    ['a file as folder', () => join(folder, 'file', 'r.json'), /is not a folder/],
    ['an empty path', () => '', /empty path/],
    ['a name that is too long', () => join(folder, 'x'.repeat(300)), /too long/],
    ['an input', () => join(folder, 'file'), /also an input/],
  ])('%s is refused before the work starts', async (_, path, message) => {
    writeFileSync(join(folder, 'file'), 'content');
    await expect(withOutput(path(), [join(folder, 'file')], captured(), never)).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test.skipIf(process.getuid?.() === 0)('a protected folder or file is refused before the work starts', async () => {
    mkdirSync(join(folder, 'sub'));
    chmodSync(join(folder, 'sub'), 0o500);
    await expect(withOutput(join(folder, 'sub', 'r'), [], captured(), never)).rejects.toThrow(/permission denied/);
    writeFileSync(join(folder, 'r'), '', { mode: 0o400 });
    await expect(withOutput(join(folder, 'r'), [], captured(), never)).rejects.toThrow(/permission denied/);
  });

  test.runIf(existsSync('/dev/null'))('a device is written to directly', async () => {
    await withOutput('/dev/null', [], captured(), async () => 'text');
  });

  test.runIf(existsSync('/dev/full'))('a full disk is a failure, not bad input', async () => {
    const work = withOutput('/dev/full', [], captured(), async () => 'text');
    await expect(work).rejects.toMatchObject({
      exitStatus: 1,
      message: expect.stringContaining('no space is left on the device'),
    });
  });
});
