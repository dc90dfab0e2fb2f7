export const KEYS_PATH = '/v1/cse-keys';
export const NOTHING_PATH = '/';

/** Every request but those that the keys' routes answer goes to one route, whatever its address holds: limits and guards are for it too. */
export function routedPath(url: string, method: string): string {
  const isOfKeys = url === KEYS_PATH || url.startsWith(`${KEYS_PATH}?`);
  return isOfKeys && (method === 'POST' || method === 'OPTIONS') ? url : NOTHING_PATH;
}
