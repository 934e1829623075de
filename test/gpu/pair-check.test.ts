import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GpuContext } from '#dist/gpu/context.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { pairsHold } from '#dist/gpu/pair-check.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { altered } from './altered-device.js';

let opened: OpenDevice;
let context: GpuContext;
beforeAll(async () => {
  opened = await openTestDevice();
  context = new GpuContext(opened.device);
});
afterAll(() => context.close());

/** The answer of a device whose compiler replaces text of the library: what a careless one would make of it. */
async function heldAfter(...replacements: readonly [string, string][]): Promise<boolean> {
  const device = altered(opened.device, {
    createShaderModule: (descriptor: GPUShaderModuleDescriptor) => {
      let { code } = descriptor;
      for (const [from, to] of replacements) {
        expect(code).toContain(from);
        code = code.replace(from, () => to);
      }
      return opened.device.createShaderModule({ ...descriptor, code });
    },
  });
  const broken = new GpuContext(device);
  try {
    return await pairsHold(broken);
  } finally {
    broken.close();
  }
}

describe(`the check of pairs on ${ADAPTER}`, () => {
  it('holds, again and again', async () => {
    expect(await pairsHold(context)).toBe(true);
    expect(await pairsHold(context)).toBe(true);
  });

  it('destroys the buffers it makes', async () => {
    let [made, destroyed] = [0, 0];
    const device = altered(opened.device, {
      createBuffer: (descriptor: GPUBufferDescriptor) => {
        made++;
        const buffer = opened.device.createBuffer(descriptor);
        const destroy = buffer.destroy.bind(buffer);
        buffer.destroy = () => {
          destroyed++;
          return destroy();
        };
        return buffer;
      },
    });
    const counted = new GpuContext(device);
    await pairsHold(counted);
    expect(made).toBeGreaterThan(0);
    expect(destroyed).toBe(made);
    counted.close();
  });

  it.each<[string, [string, string][]]>([
    [
      'regroups a sum',
      [
        ['opaque(s - x)', 'y'],
        ['opaque(s - fromY)', 'x'],
      ],
    ],
    ['forgets the error of a short sum', [['opaque(y - opaque(s - a))', '0.0']]],
    ['does not round sums to nearest', [['let s = opaque(x + y);', 'let s = bitcast<f32>(bitcast<u32>(x + y) + 1u);']]],
    ['does not round products to nearest', [['opaque(x * y)', 'bitcast<f32>(bitcast<u32>(x * y) + 1u)']]],
    ['does not split factors', [['& 0xfffff000u', '& 0xffffffffu']]],
    ['divides with 16 bits', [['opaque(a / b)', 'opaque(a / b * 1.00002)']]],
    ['takes roots with 16 bits', [['opaque(inverseSqrt(x))', 'opaque(inverseSqrt(x) * 1.00002)']]],
  ])('fails where the device %s', async (_what, replacements) => {
    expect(await heldAfter(...replacements)).toBe(false);
  });

  it('fails where the device writes nothing', async () => {
    expect(await heldAfter(['if (row >= params.rows) { return; }', 'if (row >= params.zero) { return; }'])).toBe(false);
  });
});
