import type { Parameters } from '../received-parameters.js';

/** A record of the quarantine topic as it is read back. */
export interface Quarantined {
  /** Content hash. */
  id: string;
  reason: string;
  merchant?: string;
  /** Address of the sender. */
  from: string;
  /** RFC 3339. */
  receivedAt: string;
  /** Card data, or all values, were taken out: its HASH cannot fit any more. */
  isAltered: boolean;
  parameters: Parameters;
}

/** Undefined where the record is none that `quarantineRecord` wrote. */
export function quarantinedOf(id: string | null, value: Buffer | null): Quarantined | undefined {
  let read: unknown;
  try {
    read = JSON.parse(value?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
  if (id === null || typeof read !== 'object' || read === null) return undefined;
  const { reason, merchant, from, receivedAt, altered, parameters } = read as Record<string, unknown>;
  if (
    typeof reason !== 'string' ||
    typeof from !== 'string' ||
    typeof receivedAt !== 'string' ||
    !isParameters(parameters)
  )
    return undefined;
  return {
    id,
    reason,
    from,
    receivedAt,
    isAltered: altered === true,
    parameters,
    ...(typeof merchant === 'string' ? { merchant } : {}),
  };
}

function isParameters(value: unknown): value is Parameters {
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === 'string');
  return Array.isArray(value) && value.every(isPair);
}
