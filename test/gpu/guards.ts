/**
 * Guards of buffers: every storage buffer that a test's device makes is longer than was asked for, by words of a pattern. A
 * kernel that writes beyond its end finds room there, where it would otherwise hit the buffer's last word without a trace, and
 * is reported at the end of the test file (test/gpu/check-guards.ts).
 */
import { altered } from './altered-device.js';

const GUARD_BYTES = 256;
const PATTERN = 0xdeadbea7;
const STORAGE = 0x80;
const LEDGER_BYTES = 2 ** 16;

interface Guarded {
  readonly label: string;
  readonly buffer: GPUBuffer;
  readonly size: number;
}

/** Where guards of buffers that are gone are kept until they are looked at. */
interface Ledger {
  readonly buffer: GPUBuffer;
  readonly labels: string[];
}

class Guards {
  readonly device: GPUDevice;
  private readonly alive = new Map<GPUBuffer, Guarded>();
  private readonly ledgers: Ledger[] = [];

  constructor(private readonly own: GPUDevice) {
    this.device = altered(own, { createBuffer: (wanted: GPUBufferDescriptor) => this.create(wanted) });
  }

  private create(wanted: GPUBufferDescriptor): GPUBuffer {
    if ((wanted.usage & STORAGE) === 0) return this.own.createBuffer(wanted);
    const { size, label = '' } = wanted;
    const buffer = this.own.createBuffer({ ...wanted, size: size + GUARD_BYTES });
    this.own.queue.writeBuffer(buffer, size, new Uint32Array(GUARD_BYTES / 4).fill(PATTERN));
    this.alive.set(buffer, { label, buffer, size });
    const destroy = buffer.destroy.bind(buffer);
    buffer.destroy = () => {
      this.enter(buffer);
      destroy();
    };
    return buffer;
  }

  /** Copies a buffer's guard into a ledger. */
  private enter(buffer: GPUBuffer): undefined {
    const guarded = this.alive.get(buffer);
    if (guarded === undefined) return;
    this.alive.delete(buffer);
    let ledger = this.ledgers.at(-1);
    if (ledger === undefined || ledger.labels.length === LEDGER_BYTES / GUARD_BYTES) {
      // MAP_READ | COPY_DST
      ledger = { buffer: this.own.createBuffer({ size: LEDGER_BYTES, usage: 0x1 | 0x8 }), labels: [] };
      this.ledgers.push(ledger);
    }
    const encoder = this.own.createCommandEncoder();
    const at = ledger.labels.push(guarded.label) - 1;
    encoder.copyBufferToBuffer(buffer, guarded.size, ledger.buffer, at * GUARD_BYTES, GUARD_BYTES);
    this.own.queue.submit([encoder.finish()]);
  }

  /** Labels of the buffers that were written beyond their ends. */
  async broken(): Promise<string[]> {
    for (const buffer of [...this.alive.keys()]) this.enter(buffer);
    const found: string[] = [];
    for (const { buffer, labels } of this.ledgers.splice(0)) {
      await buffer.mapAsync(1);
      const words = new Uint32Array(buffer.getMappedRange());
      const isBroken = (_: string, i: number): boolean =>
        words.subarray((i * GUARD_BYTES) / 4, ((i + 1) * GUARD_BYTES) / 4).some((word) => word !== PATTERN);
      found.push(...labels.filter(isBroken));
      buffer.destroy();
    }
    return found;
  }
}

const opened = new Set<Guards>();

/** The device with guards behind its storage buffers. */
export function guarded(device: GPUDevice): GPUDevice {
  const guards = new Guards(device);
  opened.add(guards);
  void device.lost.then(() => opened.delete(guards));
  return guards.device;
}

/** Labels of buffers of all guarded devices that were written beyond their ends since the last call. */
export async function brokenGuards(): Promise<string[]> {
  const found: string[] = [];
  for (const guards of opened) found.push(...(await guards.broken()));
  return found;
}
