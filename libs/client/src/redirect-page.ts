/**
 * HTML of the provider's form that a `payment.authorize.redirect_required` event carries in `redirectHtml`. Answer the cardholder's browser
 * with it as a page of its own (`text/html; charset=utf-8`), sandboxed as the README shows, because it is a third party's.
 */
export function decodeRedirectHtml(redirectHtml: string): string {
  return Buffer.from(redirectHtml, 'base64').toString('utf8');
}
