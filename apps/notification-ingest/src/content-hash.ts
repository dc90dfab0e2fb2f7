import { createHash } from 'node:crypto';
import type { Parameters } from './received-parameters.js';

/**
 * The same notification, sent again in any order, by GET or POST, or signed with another key, has the same hash: it is the id of its
 * event, so that repeats are the same event.
 */
export function contentHash(parameters: Parameters): string {
  const content = parameters
    .filter(([name]) => name !== 'HASH')
    // The hash covers what was signed. The charset that a sender names is not signed.
    .map(([name, value, sent]) => (sent === undefined ? ([name, value] as const) : ([sent.name, sent.value] as const)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(content), 'utf8').digest('hex');
}
