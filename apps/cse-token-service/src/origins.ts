/** Comma-separated; each exactly as a browser sends it. No wildcards. */
export function readOrigins(text: string): string[] {
  return text.split(',').map((item) => {
    const origin = item.trim();
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new Error(
        'has an entry that is not an origin. Use scheme://host or scheme://host:port, without a path, as in https://shop.example',
      );
    }
    return origin;
  });
}

const PREFLIGHT_SECONDS = 600;

/** With every answer: no copy of it anywhere, and it is never a page. */
export const EVERY_ANSWER: Headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  vary: 'Origin',
};

export type Headers = Readonly<Record<string, string>>;

/** By admitted origin, with every answer to its pages: they may read it, errors too, and when to come again. */
export function headersOfOrigins(origins: readonly string[]): ReadonlyMap<string, Headers> {
  const headersOf = (origin: string) => ({
    ...EVERY_ANSWER,
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'retry-after',
  });
  return new Map(origins.map((origin) => [origin, headersOf(origin)]));
}

/** With the answer to a preflight of an admitted origin. */
export const PREFLIGHT: Headers = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
};
