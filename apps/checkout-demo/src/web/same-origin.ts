/**
 * Whether a request that changes something comes from a page of the shop. Every browser names the origin of a POST, and no page can name
 * another than its own; what names none is no browser, and is refused as well.
 */
export function isSameOrigin(
  headers: { origin?: string | undefined; 'sec-fetch-site'?: string | undefined },
  own: string,
): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin === own && (site === undefined || site === 'same-origin');
}
