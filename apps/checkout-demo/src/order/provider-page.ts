/**
 * REDIRECTHTML is somebody else's page: it is shown as it came, but by an origin of its own (`sandbox` without allow-same-origin), so that
 * its scripts reach nothing of the shop. A page and not a frame: providers forbid frames, and phones have no room for one.
 */
export const PROVIDER_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox allow-forms allow-scripts allow-top-navigation; default-src https: data: 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  // The page may open windows of its own, the bank's for one, and hear from them.
  'cross-origin-opener-policy': 'unsafe-none',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};

/** A whole document as it is; a fragment with the least that makes a document of it. */
export function providerPage(redirectHtml: string): string {
  const html = Buffer.from(redirectHtml, 'base64').toString('utf8');
  if (isDocument(html)) return html;
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Maison Roitelet</title>';
  return `<!doctype html>\n<html><head>${head}</head><body data-testid="provider-form">${html}</body></html>\n`;
}

/** Whether a doctype or `<html` comes first, white space and comments aside. One pass: no expression over comments, which can take for ever. */
function isDocument(html: string): boolean {
  let at = 0;
  for (;;) {
    while (/\s/.test(html.charAt(at))) at += 1;
    if (!html.startsWith('<!--', at)) return /^<(?:!doctype|html)\b/i.test(html.slice(at, at + 12));
    const end = html.indexOf('-->', at + 4);
    if (end < 0) return false;
    at = end + 3;
  }
}
