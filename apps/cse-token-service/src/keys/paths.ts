export const KEYS_PATH = '/v1/cse-keys';
export const NOTHING_PATH = '/';

/** Routes every request other than the keys' own to one route, whatever its URL, so that limits and guards apply to it too. */
export function routedPath(url: string, method: string): string {
  const isOfKeys = url === KEYS_PATH || url.startsWith(`${KEYS_PATH}?`);
  return isOfKeys && (method === 'POST' || method === 'OPTIONS') ? url : NOTHING_PATH;
}
