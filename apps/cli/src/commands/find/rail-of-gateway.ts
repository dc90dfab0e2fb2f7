import { isStopCause, type Rail, type StopCause } from '@tranche/contracts';

/** A gateway's answer about a rail that it has stopped. */
export interface RailStop {
  cause: StopCause;
  sinceMs: number;
  nextTryMs?: number;
}

const ANSWERS_WITHIN_MS = 2_000;

/** Reads from the metrics of a gateway whether it has stopped a rail; undefined where it does not answer, null where the rail runs. */
export async function railOfGateway(managementUrl: string, rail: Rail): Promise<RailStop | null | undefined> {
  try {
    const response = await fetch(new URL('/metrics', managementUrl), {
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    return response.ok ? railStopIn(await response.text(), rail) : undefined;
  } catch {
    return undefined;
  }
}

export function railStopIn(metrics: string, rail: Rail): RailStop | null | undefined {
  const sampleOf = (name: string) => {
    const line = metrics.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(`rail="${rail}"`));
    return line === undefined ? undefined : { line, value: Number(line.slice(line.lastIndexOf(' '))) };
  };
  if (sampleOf('tranche_rail_breaker_open') === undefined) return undefined;
  const since = sampleOf('tranche_rail_stopped_since_seconds');
  const cause = /cause="(\w+)"/.exec(since?.line ?? '')?.[1];
  if (since === undefined || !isStopCause(cause)) return null;
  const nextTry = sampleOf('tranche_rail_next_try_seconds');
  return { cause, sinceMs: since.value * 1000, ...(nextTry && { nextTryMs: nextTry.value * 1000 }) };
}
