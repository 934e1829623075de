/** Memory of a WebAssembly kernel, laid out region by region. */

import { EngineError } from '../../../errors.js';

const PAGE = 65536;

/** Hands out 16-byte aligned regions. The module itself uses the first page at most. */
export class Layout {
  private at = PAGE;

  /** Address of a region of `bytes` bytes. */
  region(bytes: number): number {
    const start = this.at;
    this.at += Math.ceil(bytes / 16) * 16;
    return start;
  }

  /** @throws EngineError where the system or WebAssembly (4 GiB) does not give as much. */
  memory(): WebAssembly.Memory {
    try {
      return new WebAssembly.Memory({ initial: Math.ceil(this.at / PAGE) });
    } catch (cause) {
      const size = `${Math.ceil(this.at / 1e6).toLocaleString('en')} MB`;
      throw new EngineError(
        `a kernel of the CPU engine needs ${size} of memory, which are not to be had\n  try:    fewer --threads or policies at once, or a machine with more memory`,
        { cause },
      );
    }
  }
}

/** Exports of a module compiled from base64, on a memory. */
export function instantiate<Exports>(module: WebAssembly.Module, memory: WebAssembly.Memory): Exports {
  const abort = (): never => {
    throw new Error('a WebAssembly kernel aborted');
  };
  // The stub runtime may ask for an abort import even though nothing in the modules can abort.
  return new WebAssembly.Instance(module, { env: { memory, abort } }).exports as unknown as Exports;
}

/** Compiles base64 once per thread and module. */
export function compileOnce(base64: string): () => WebAssembly.Module {
  let compiled: WebAssembly.Module | undefined;
  return () => {
    compiled ??= new WebAssembly.Module(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
    return compiled;
  };
}
