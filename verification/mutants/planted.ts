import type { InitializeHook, LoadHook } from 'node:module';

export interface PlantedText {
  name: string;
  /** URL of the compiled file. */
  url: string;
  find: string;
  replace: string;
}

let texts: readonly PlantedText[] = [];

/** This module is also a module hook: it plants bugs or failpoints in our compiled files while they are loaded. */
export const initialize: InitializeHook<typeof texts> = (given) => {
  texts = given;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const ofThisFile = texts.filter((one) => one.url === url);
  if (ofThisFile.length === 0) return loaded;
  const source =
    typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString('utf8');
  return { ...loaded, source: ofThisFile.reduce(planted, source) };
};

/** @throws if the code has changed and the text no longer occurs exactly once */
export function planted(source: string, { name, find, replace }: Omit<PlantedText, 'url'>): string {
  const times = source.split(find).length - 1;
  if (times !== 1) throw new Error(`${name} is stale: its text occurs ${times} times: ${find}`);
  return source.replace(find, () => replace);
}
