/** Two columns: names, and what belongs to them. */
export function columns(rows: readonly (readonly [name: string, value: string | number])[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** Returns the value that `share` (0 to 1) of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Prints a line on stderr every ten seconds until `work` has ended. */
export async function withProgress<T>(line: () => string, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => console.error(line()), 10_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Counts by name, in the order of the names, so that two runs can be compared line by line. */
export function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
