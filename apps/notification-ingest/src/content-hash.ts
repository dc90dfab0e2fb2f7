import { createHash } from 'node:crypto';
import type { Parameters } from './received-parameters.js';

/** The event's id: the same for a repeat in another order, by GET or POST, or signed with another key, so that consumers recognise it. */
export function contentHash(parameters: Parameters): string {
  const content = parameters
    .filter(([name]) => name !== 'HASH')
    // We hash the signed bytes. The charset that the sender names is not signed, so it must not change the id.
    .map(([name, value, sent]) => (sent === undefined ? ([name, value] as const) : ([sent.name, sent.value] as const)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(content), 'utf8').digest('hex');
}
