/**
 * Garbage collection on request, where the platform lets a program ask. Columns of a batch lie outside of the heap, so that
 * by itself the collector sees no reason to hurry, and dead batches pile up beyond any bound on memory.
 */

type Modules = {
  getBuiltinModule?(id: 'node:v8'): typeof import('node:v8') | undefined;
  getBuiltinModule?(id: 'node:vm'): typeof import('node:vm') | undefined;
};

let collector: (() => void) | null | undefined;

/** Collects everything that is dead; nothing where that cannot be asked for. */
export function collectGarbage(): void {
  if (collector === undefined) collector = findCollector();
  collector?.();
}

function findCollector(): (() => void) | null {
  const exposed = (globalThis as { gc?: () => void }).gc;
  if (exposed !== undefined) return () => exposed();
  const { getBuiltinModule } = (globalThis as { process?: Modules }).process ?? {};
  if (getBuiltinModule === undefined) return null;
  // The function is only there in contexts that are made after the flag is set.
  getBuiltinModule('node:v8')?.setFlagsFromString('--expose-gc');
  const found: unknown = getBuiltinModule('node:vm')?.runInNewContext('gc');
  return typeof found === 'function' ? () => void found() : null;
}
