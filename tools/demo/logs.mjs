/** What the services print and measure, kept in a folder of the caller's: NAME.log and NAME.metrics, whole, over every restart. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const METRICS_TIMEOUT_MS = 5_000;

export const keepNothing = { outputOf: () => undefined, keepMetrics: async () => undefined };

export function keepLogs(folder) {
  const place = resolve(folder);
  mkdirSync(place, { recursive: true });
  return {
    outputOf: (name) => (line) => appendFileSync(join(place, `${name}.log`), `${line}\n`),

    /** To be called while the service is up; the simulator measures nothing. */
    async keepMetrics({ name, managementUrl, process }) {
      if (process.exitCode !== undefined) return;
      const answer = await fetch(`${managementUrl}/metrics`, { signal: AbortSignal.timeout(METRICS_TIMEOUT_MS) });
      const text = await answer.text();
      if (answer.ok) appendFileSync(join(place, `${name}.metrics`), text);
    },
  };
}
