const TIME_ORDERED = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** When the id was made, if it says so: a UUID of version 7 (RFC 9562). Milliseconds since the epoch; undefined for every other id. */
export function commandIdTimeMs(id: string): number | undefined {
  return TIME_ORDERED.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}
