/** The memory of the process, where the platform tells it. Bytes. */

type Process = {
  memoryUsage?: { rss(): number };
  resourceUsage?(): { maxRSS: number };
};

const node = (globalThis as { process?: Process }).process;

/** The resident set now; 0 where that is not told. */
export function residentBytes(): number {
  return node?.memoryUsage?.rss() ?? 0;
}

/** The largest resident set since the process began; `null` where that is not told. */
export function peakResidentBytes(): number | null {
  const usage = node?.resourceUsage?.();
  // In kibibytes, on every system.
  return usage === undefined ? null : usage.maxRSS * 1024;
}
