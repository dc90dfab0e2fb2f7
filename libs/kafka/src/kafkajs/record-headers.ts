import type { IHeaders } from 'kafkajs';

/** null: the header has a name and no value, as clients in other languages may write it. */
export type HeaderValue = Buffer | string | null;

/** What kafkajs is given for a header without a value: null itself makes it throw. `patchKafkajsCodec` writes it as null. */
export const NO_VALUE = Buffer.alloc(0);

/**
 * The values of each name in their order, as they came; an object without prototype. kafkajs gathers headers in a plain object and takes what that
 * inherits for an earlier value: a header called `constructor` comes with a function in front of its value. Such a thing is no value.
 */
export function headerValues(headers: IHeaders | undefined): Record<string, (Buffer | null)[]> {
  const values = Object.create(null) as Record<string, (Buffer | null)[]>;
  for (const name of Object.keys(headers ?? {})) {
    const given: unknown = headers![name];
    values[name] = (Array.isArray(given) ? given : [given]).filter(
      (value): value is Buffer | null => value === null || Buffer.isBuffer(value),
    );
  }
  return values;
}

/** As kafkajs takes them to be written. */
export function writableHeaders(headers: Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>): IHeaders {
  if (Object.values(headers).every((value) => typeof value === 'string' || Buffer.isBuffer(value)))
    return headers as IHeaders;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isSeveral(value) ? value.map((each) => each ?? NO_VALUE) : (value ?? NO_VALUE),
    ]),
  );
}

export function isSeveral(value: HeaderValue | readonly HeaderValue[]): value is readonly HeaderValue[] {
  return Array.isArray(value);
}
