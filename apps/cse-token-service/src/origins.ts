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

/** Names and values in turn, as Node.js takes them. */
export type HeaderList = readonly string[];

/** With every answer: no copy of it anywhere, and it is never a page. */
export const EVERY_ANSWER: HeaderList = [
  ...['cache-control', 'no-store'],
  ...['x-content-type-options', 'nosniff'],
  ...['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['vary', 'Origin'],
];

export interface OriginHeaders {
  /** With every answer to a page of the origin: it may read it, errors too, and when to come again. */
  answer: HeaderList;
  /** With a key. */
  key: HeaderList;
  preflight: HeaderList;
}

/** Headers for each admitted origin, made once. */
export function headersOfOrigins(origins: readonly string[]): ReadonlyMap<string, OriginHeaders> {
  return new Map(origins.map((origin) => [origin, headersOf(origin)]));
}

function headersOf(origin: string): OriginHeaders {
  const answer = [...EVERY_ANSWER, 'access-control-allow-origin', origin, 'access-control-expose-headers', 'retry-after'];
  const key = [...answer, 'content-type', 'application/json; charset=utf-8'];
  const preflight = [
    ...answer,
    ...['access-control-allow-methods', 'POST'],
    ...['access-control-allow-headers', 'content-type'],
    ...['access-control-max-age', String(PREFLIGHT_SECONDS)],
  ];
  return { answer, key, preflight };
}
