/** Reads comma-separated origins, each exactly as a browser sends it. No wildcards. */
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

/** Headers of every response: it must not be stored or shown as a page. */
export const EVERY_ANSWER: Headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  vary: 'Origin',
};

export type Headers = Readonly<Record<string, string>>;

/** Headers of responses by admitted origin: its pages may read them, errors and `retry-after` included. */
export function headersOfOrigins(origins: readonly string[]): ReadonlyMap<string, Headers> {
  const headersOf = (origin: string) => ({
    ...EVERY_ANSWER,
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'retry-after',
  });
  return new Map(origins.map((origin) => [origin, headersOf(origin)]));
}

/** Headers of the response to a preflight of an admitted origin. */
export const PREFLIGHT: Headers = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
};
