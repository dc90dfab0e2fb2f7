const TIME_ORDERED = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Creation time of a command id in milliseconds since the epoch, if the id is a UUID version 7 (RFC 9562); else undefined. */
export function commandIdTimeMs(id: string): number | undefined {
  return TIME_ORDERED.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}
