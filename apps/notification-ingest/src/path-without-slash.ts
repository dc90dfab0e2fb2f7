/** People often configure `/notifications/` for `/notifications`, so a slash at the end is ignored. The query is not touched. */
export function pathWithoutSlash(url: string): string {
  const query = url.indexOf('?');
  const end = query < 0 ? url.length : query;
  return end > 1 && url[end - 1] === '/' ? url.slice(0, end - 1) + url.slice(end) : url;
}
