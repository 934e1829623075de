import { describe, expect, it } from 'vitest';
import { linearKernel, loggedKernel, matchKernel, uniformKernel } from '#dist/engine/gpu/kernels.js';
import { EngineError } from '#dist/errors.js';
import { compileFault, defineKernel, kernelText, packParams } from '#dist/gpu/kernel.js';

const kernel = defineKernel({
  source: 'match.wgsl',
  params: { count: 'u32', slack: 'f32', last: 'u32', more: 'u32', fifth: 'u32' },
  bindings: { input: { type: 'array<u32>', write: false }, output: { type: 'array<u32>', write: true } },
});

describe('kernel declarations', () => {
  it('derive constants, params and bindings in order', () => {
    const { code, offset } = kernelText(kernel, { DIRECT: true, SIZE: 3 });
    const head = code.split('\n').slice(0, offset).join('\n');
    expect(head).toContain('const DIRECT = true;\nconst SIZE = 3u;');
    expect(head).toContain(
      'struct Params {\n  count: u32,\n  slack: f32,\n  last: u32,\n  more: u32,\n  fifth: u32,\n}',
    );
    expect(head).toContain('@group(0) @binding(1) var<storage, read> input: array<u32>;');
    expect(head).toContain('@group(0) @binding(2) var<storage, read_write> output: array<u32>;');
    expect(code.split('\n')[offset]).toMatch(/^\/\/ Matches choices/);
  });

  it('place libraries before the kernel', () => {
    const { code } = kernelText({ ...kernel, libraries: ['lib/threefry.wgsl'] }, {});
    expect(code.indexOf('fn threefry2x32')).toBeGreaterThan(0);
    expect(code.indexOf('fn threefry2x32')).toBeLessThan(code.indexOf('fn add64'));
  });

  it('pack params by type, padded to 16 bytes', () => {
    const view = new DataView(packParams(kernel, { count: 7, slack: 0.5, last: 0xffffffff, more: 0, fifth: 9 }));
    expect(view.byteLength).toBe(32);
    expect([
      view.getUint32(0, true),
      view.getFloat32(4, true),
      view.getUint32(8, true),
      view.getUint32(16, true),
    ]).toEqual([7, 0.5, 0xffffffff, 9]);
  });

  it.each([
    [{ count: -1 }, /count must be a u32, got -1/],
    [{ count: 1.5 }, /count must be a u32, got 1.5/],
    [{ count: 2 ** 32 }, /count must be a u32/],
    [{ slack: Number.NaN }, /slack must be a finite number/],
    [{ other: 1 }, /unknown parameter other/],
  ])('refuse %o and name the kernel', (wrong, message) => {
    const values = { count: 1, slack: 1, last: 1, more: 1, fifth: 1, ...wrong };
    expect(() => packParams(kernel, values)).toThrow(EngineError);
    expect(() => packParams(kernel, values)).toThrow(message);
    expect(() => packParams(kernel, values)).toThrow(/match\.wgsl/);
  });

  it('stay within eight storage buffers, the default limit', () => {
    for (const one of [linearKernel, loggedKernel, matchKernel, uniformKernel])
      expect(Object.keys(one.bindings).length).toBeLessThanOrEqual(8);
  });

  it('report a compile error at the line of the file, with its text', () => {
    const { code, offset } = kernelText(kernel, {});
    const message = { type: 'error', lineNum: offset + 1, linePos: 4, message: 'nonsense' } as GPUCompilationMessage;
    expect(compileFault(kernel, code, offset, [message]).message).toMatch(
      /shaders\/match\.wgsl:1:4: nonsense\n {4}\/\/ Matches choices/,
    );
  });
});
