/** False if a percent sign begins no escape, or the bytes that are escaped are not UTF-8. Such a path cannot be routed. */
export function isPathDecodable(url: string): boolean {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%')) return true;
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * NOTIFICATION_URL is typed by people: capitals, doubled slashes and a slash at the end of its path change nothing. The query is not
 * touched. A proxy may send the whole address. Percent signs of a path that cannot be decoded are
 * escaped, so that it comes to no route and is refused as every other request, with its body.
 */
export function routedPath(url: string): string {
  const end = url.search(/[?#]|$/);
  const sent = url.slice(0, end);
  const path = (isPathDecodable(sent) ? sent : sent.replaceAll('%', '%25'))
    .toLowerCase()
    .replace(/^https?:\/\/[^/]*/, '')
    .replace(/\/{2,}/g, '/');
  return (path.length > 1 ? path.replace(/\/$/, '') : path) + url.slice(end);
}
