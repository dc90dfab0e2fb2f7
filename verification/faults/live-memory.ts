/**
 * A soak starts each service with `--import` of this file. It collects the garbage at intervals and prints the bytes that are still in use:
 * the resident memory of a service without a leak rises for many minutes too, since V8 collects late.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const EVERY_MS = 10_000;
export const LIVE_BYTES = /^live bytes (\d+)$/;

if (process.env.PRINT_LIVE_BYTES) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setInterval(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    process.stdout.write(`live bytes ${heapUsed + external}\n`);
  }, EVERY_MS).unref();
}
