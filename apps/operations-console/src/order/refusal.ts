import { Refused } from '../api/client.js';
import { humane } from '../text/format.js';
import type { Answered } from './said.js';

/** Says if a change was refused, or if nobody knows whether it was taken. */
export function refusalOf(error: Error): Answered {
  const { code, isOutcomeUnknown, faults } = error instanceof Refused ? error : new Refused(0, '', error.message);
  const more = humane([error.message, ...faults.map(({ path, message }) => `${path} ${message}`)].join(' '));
  if (isOutcomeUnknown)
    return { tone: 'wait', says: 'Whether it was taken is not known. What you typed is kept.', more, code };
  return { tone: 'grave', says: 'It does not count.', more, code };
}
