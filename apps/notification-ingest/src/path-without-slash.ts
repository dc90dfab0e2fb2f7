/**
 * People often configure `/notifications/` or `//notifications` for `/notifications`: slashes at the end, and repeated ones, are ignored. The query
 * is not touched.
 */
export function pathWithoutSlash(url: string): string {
  const query = url.indexOf('?');
  const end = query < 0 ? url.length : query;
  const path = url.slice(0, end).replaceAll(/\/{2,}/g, '/');
  return (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path) + url.slice(end);
}
