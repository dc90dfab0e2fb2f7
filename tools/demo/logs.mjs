/** Keeps each service's output and metrics in a folder of the caller, as NAME.log and NAME.metrics, complete over every restart. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const METRICS_TIMEOUT_MS = 5_000;

export function keepLogs(folder) {
  if (folder === undefined) return { outputOf: () => undefined, keepMetrics: async () => undefined };
  const place = resolve(folder);
  mkdirSync(place, { recursive: true });
  return {
    outputOf: (name) => (line) => appendFileSync(join(place, `${name}.log`), `${line}\n`),

    /** Call it while the service runs; the simulator has no metrics. */
    async keepMetrics({ name, managementUrl, process }) {
      if (process.exitCode !== undefined) return;
      const answer = await fetch(`${managementUrl}/metrics`, { signal: AbortSignal.timeout(METRICS_TIMEOUT_MS) });
      const text = await answer.text();
      if (answer.ok) appendFileSync(join(place, `${name}.metrics`), text);
    },
  };
}
