/** Adapters → a table for `hindcast devices`. */

import { type Fact, factLines } from './facts.js';
import { bytes } from './numbers.js';
import { PLAIN, type Style } from './style.js';
import { shorten } from './text.js';

/** What matters about an adapter to this program. */
export interface AdapterDescription {
  /** Name as the driver gives it. */
  name: string;
  vendor: string;
  architecture: string;
  /** Graphics interface underneath: `vulkan`, `metal`, `d3d12`, … */
  backend: string;
  type: 'gpu' | 'software';
  driver: string;
  /** [min, max] subgroup size; `null` without subgroups. */
  subgroups: readonly [number, number] | null;
  /** Bytes. */
  maxBufferSize: number;
  /** Bytes of one binding: how large a chunk of the log may be. */
  maxStorageBufferBindingSize: number;
  /** Bytes of workgroup memory. */
  maxComputeWorkgroupStorageSize: number;
  f16: boolean;
  /** Whether `--device auto` may use it: the first such one is used. */
  auto: boolean;
}

/** One block of lines per adapter; what `--device auto` would do, at the end. */
export function devicesTable(adapters: readonly AdapterDescription[], style: Style = PLAIN): string {
  const auto = adapters.find((adapter) => adapter.auto);
  const lines = adapters.flatMap((adapter) => [
    style.strong(shorten(adapter.name, style.width - 8)) + (adapter === auto ? '  (auto)' : ''),
    ...factLines(describeAdapter(adapter), style, style.width - 2).map((line) => `  ${line}`),
    '',
  ]);
  lines.push(
    adapters.length === 0
      ? 'No WebGPU adapter was found: hindcast runs on the CPU engine.'
      : auto === undefined
        ? 'No hardware adapter was found: --device auto uses the CPU engine.\n--adapter NAME uses a software adapter (swiftshader: from npm, where\ninstalled); it gives the same numbers.'
        : `--device auto uses ${shorten(auto.name, style.width - 20)}.`,
  );
  return `${lines.join('\n')}\n`;
}

function describeAdapter(a: AdapterDescription): Fact[] {
  const subgroups =
    a.subgroups === null
      ? 'no subgroups'
      : a.subgroups[0] === a.subgroups[1]
        ? `subgroups of ${a.subgroups[0]}`
        : `subgroups of ${a.subgroups[0]} to ${a.subgroups[1]}`;
  const maker = [a.vendor, a.architecture].filter((text) => text !== '' && text !== a.type).join(', ');
  return [
    { label: 'type', text: `${a.type}, ${a.backend}${maker === '' ? '' : `, ${maker}`}` },
    { label: 'driver', text: a.driver === '' ? 'not told' : a.driver },
    {
      label: 'compute',
      text: `${subgroups}, ${bytes(a.maxComputeWorkgroupStorageSize)} workgroup memory, ${a.f16 ? 'f16' : 'no f16'}`,
    },
    { label: 'memory', text: `binding ${bytes(a.maxStorageBufferBindingSize)}, buffer ${bytes(a.maxBufferSize)}` },
  ];
}
