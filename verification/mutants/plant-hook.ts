import type { InitializeHook, LoadHook } from 'node:module';
import { planted, type PlantedText } from './planted.js';

let bugs: (PlantedText & { url: string })[];

/** Module hook that plants a bug in one of our compiled files while it is loaded. */
export const initialize: InitializeHook<typeof bugs> = (given) => {
  bugs = given;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const ofThisFile = bugs.filter((bug) => bug.url === url);
  if (ofThisFile.length === 0) return loaded;
  const source =
    typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString('utf8');
  return { ...loaded, source: ofThisFile.reduce(planted, source) };
};
