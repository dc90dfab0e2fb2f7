/** Allows no inline code and no third party. The page connects only to the shop, the key service and the tokenizer. */
export function contentSecurityPolicy({
  cseKeysUrl,
  tokenizerUrl,
}: {
  cseKeysUrl: URL;
  tokenizerUrl: URL;
}): Record<string, string[]> {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'connect-src': [...new Set(["'self'", cseKeysUrl.origin, tokenizerUrl.origin])],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    'require-trusted-types-for': ["'script'"],
  };
}
