/** Numbers of orders, open orders, orders in doubt, timers and orders with a conflict in a partition's index, as `7:1:0:2:0`. */
export type EntryCounts = string;

export interface IndexMarker {
  /** Offset of the last journal record that the index holds. */
  offset: bigint;
  /** Unique to one rebuild of the partition. */
  generation: string;
  /** `recordHash` of the record at `offset`, where it is known. */
  hash?: string;
}

/** Formats the marker as stored: `OFFSET GENERATION HASH COUNTS`, with `-` for an unknown hash. */
export const markerText = ({ offset, generation, hash = '-' }: IndexMarker, counts?: EntryCounts): string =>
  [offset, generation, hash, ...(counts === undefined ? [] : [counts])].join(' ');

/**
 * Parses the marker of a complete index. Undefined where there is no marker, and where an entry is missing: an order that such an index lacks may
 * have been in it (R14).
 * @param found number of entries, counted in the same transaction that read `stored`
 */
export function wholeMarker(stored: string | null | undefined, found: EntryCounts): IndexMarker | undefined {
  const [offset, generation, hash, counts] = stored?.split(' ') ?? [];
  if (offset === undefined || generation === undefined || counts !== found) return undefined;
  return { offset: BigInt(offset), generation, ...(hash === undefined || hash === '-' ? {} : { hash }) };
}
