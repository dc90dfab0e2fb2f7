import { decodeRedirectHtml } from '@tranche/client';

/**
 * REDIRECTHTML comes from a third party. We serve it unchanged in an opaque origin (`sandbox` without allow-same-origin), so that its
 * scripts cannot access the shop. It is a page and not a frame, because providers forbid frames and phones have no room for one.
 */
export const PROVIDER_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox allow-forms allow-scripts allow-top-navigation; default-src https: data: 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  // The page may open windows, for example the bank's, and needs their messages.
  'cross-origin-opener-policy': 'unsafe-none',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};

export function providerPage(redirectHtml: string): string {
  const html = decodeRedirectHtml(redirectHtml);
  if (isDocument(html)) return html;
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Maison Roitelet</title>';
  return `<!doctype html>\n<html><head>${head}</head><body data-testid="provider-form">${html}</body></html>\n`;
}

/**
 * Finds a doctype or `<html` after white space and comments. One pass, because a regular expression over comments could backtrack for
 * long.
 */
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
