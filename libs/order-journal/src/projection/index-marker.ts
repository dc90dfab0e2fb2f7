/** How many orders, open orders, orders in doubt and timers the index of a partition has, as `7:1:0:2`. */
export type EntryCounts = string;

export interface IndexMarker {
  /** Of the last journal record that the index holds. */
  offset: bigint;
  /** No other rebuild of the partition has it. */
  generation: string;
  /** `recordHash` of the record at `offset`, where it is known. */
  hash?: string;
}

/** As it is stored: `OFFSET GENERATION HASH COUNTS`, the hash `-` where it is not known. */
export const markerText = ({ offset, generation, hash = '-' }: IndexMarker, counts?: EntryCounts): string =>
  [offset, generation, hash, ...(counts === undefined ? [] : [counts])].join(' ');

/**
 * The marker of an index that holds what it was given. Undefined where there is none, and where an entry is missing: what is not in such an
 * index may have been in it (R14).
 * @param found the entries that the index has, counted in the same transaction that read `stored`
 */
export function wholeMarker(stored: string | null | undefined, found: EntryCounts): IndexMarker | undefined {
  const [offset, generation, hash, counts] = stored?.split(' ') ?? [];
  if (offset === undefined || generation === undefined || counts !== found) return undefined;
  return { offset: BigInt(offset), generation, ...(hash === undefined || hash === '-' ? {} : { hash }) };
}
