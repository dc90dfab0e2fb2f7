/**
 * Every browser sends Origin with a POST, and a page cannot forge it. A request without Origin is not from a browser and is refused too.
 */
export function isSameOrigin(
  headers: { origin?: string | undefined; 'sec-fetch-site'?: string | undefined },
  own: string,
): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin === own && (site === undefined || site === 'same-origin');
}
