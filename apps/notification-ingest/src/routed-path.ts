/**
 * NOTIFICATION_URL is typed by people: capitals, doubled slashes and a slash at the end of its path change nothing. The query is not
 * touched. A proxy may send the whole address.
 */
export function routedPath(url: string): string {
  const end = url.search(/[?#]|$/);
  const path = url
    .slice(0, end)
    .toLowerCase()
    .replace(/^https?:\/\/[^/]*/, '')
    .replace(/\/{2,}/g, '/');
  return (path.length > 1 ? path.replace(/\/$/, '') : path) + url.slice(end);
}
