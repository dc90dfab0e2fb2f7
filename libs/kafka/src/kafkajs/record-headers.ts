import type { IHeaders } from 'kafkajs';

/** null: a header with a name and no value, which clients in other languages can write. */
export type HeaderValue = Buffer | string | null;

/** Stands for a header without a value, because kafkajs throws on null. `patchKafkajsCodec` writes it as null. */
export const NO_VALUE = Buffer.alloc(0);

/**
 * All values of each header in their order, in an object without prototype. kafkajs collects headers in a plain object and takes an
 * inherited property for an earlier value: a header called `constructor` has a function before its value. Such a function is dropped.
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
