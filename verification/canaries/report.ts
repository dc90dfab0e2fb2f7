import { type Canary } from './canaries.js';
import { REDIS_FILE, search, type Hit, type Place } from './search.js';

export interface CanaryReport {
  readonly hits: number;
  readonly found: readonly Hit[];
  readonly searched: {
    readonly logLines: number;
    readonly records: number;
    readonly redisEntries: number;
    readonly redisFileBytes: number;
    readonly metricsBytes: number;
    readonly processes: number;
    readonly topics: number;
  };
  readonly planted: readonly { readonly name: string; readonly count: number }[];
  /** Number of requests that sent card data to a wrong address. */
  readonly misplaced: number;
}

export function reportOf({
  places,
  canaries,
  misplaced,
}: {
  places: readonly Place[];
  canaries: readonly Canary[];
  misplaced: number;
}): CanaryReport {
  const results = places.map((place) => search(place, canaries));
  const of = (kind: Place['kind']) => places.filter((place) => place.kind === kind);
  const entries = (list: readonly Place[]) => list.reduce((sum, place) => sum + place.entries.length, 0);
  const bytes = (list: readonly Place[]) =>
    list.flatMap((place) => place.entries).reduce((sum, { text }) => sum + text.length + 1, 0);
  const isFile = ({ name }: Place) => name === REDIS_FILE;
  return {
    hits: results.reduce((sum, { count }) => sum + count, 0),
    found: results.flatMap(({ hits }) => hits),
    searched: {
      logLines: entries(of('log')),
      records: of('topic').reduce(
        (sum, place) => sum + place.entries.filter(({ label }) => label.endsWith(' value')).length,
        0,
      ),
      redisEntries: entries(of('redis').filter((place) => !isFile(place))),
      redisFileBytes: bytes(of('redis').filter(isFile)),
      metricsBytes: bytes(of('metrics')),
      processes: of('log').length,
      topics: of('topic').length,
    },
    planted: countsOf(canaries.map(({ name }) => name)),
    misplaced,
  };
}

export function tableOf({ hits, found, searched, planted, misplaced }: CanaryReport): string {
  const lines = found.map(
    ({ canary, form, place, entry, around }) => `  ${canary} (${form}) in ${place}, ${entry}: ${around}`,
  );
  return [
    `${hits} hits`,
    ...lines,
    `searched: ${Object.entries(searched)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}`,
    `planted: ${planted.map(({ name, count }) => `${count} × ${name}`).join(', ')}; ${misplaced} requests with card data to wrong addresses`,
  ].join('\n');
}

function countsOf(names: readonly string[]): { name: string; count: number }[] {
  return [...new Set(names)].map((name) => ({ name, count: names.filter((other) => other === name).length }));
}
