import type { Merchants } from '@tranche/contracts';

/** A merchant that is not configured. Anybody may write any name, so all of them share this label. */
const UNKNOWN = 'unknown';

export const merchantLabels = ({ all }: Merchants): string[] => [...all.map(({ merchant }) => merchant), UNKNOWN];

export const merchantLabel = (merchants: Merchants, name: string): string =>
  merchants.byName(name) === undefined ? UNKNOWN : name;
