import { Problem, type ProblemOptions, type ServiceLogger } from '@tranche/service-kit';
import type { Clock } from '../clock.js';

/** Maximum wait for the journal's or Redis's answer. Milliseconds. */
const WAIT_MS = 10_000;

const UNREADABLE = { status: 503, code: 'unavailable', detail: 'The order can not be read now. Try again later.' };

/** @throws Problem where `work` fails, or has no answer within 10 s */
export async function inTime<T>(
  { clock, log }: { clock: Clock; log: ServiceLogger },
  work: Promise<T>,
  otherwise: ProblemOptions = UNREADABLE,
): Promise<T> {
  const done = new AbortController();
  const tooLong = clock
    .sleep(WAIT_MS, done.signal)
    .then(() => Promise.reject(new Error(`No answer within ${WAIT_MS} ms`)));
  try {
    return await Promise.race([work, tooLong]);
  } catch (cause) {
    log.warn({ err: cause }, 'An operator could not be answered');
    throw new Problem({ ...otherwise, cause });
  } finally {
    done.abort(new Error('answered'));
  }
}
