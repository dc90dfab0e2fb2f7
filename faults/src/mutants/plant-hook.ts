import type { InitializeHook, LoadHook } from 'node:module';
import { planted, type PlantedText } from './planted.js';

let bug: PlantedText & { url: string };

/** Module hook: the planted bug replaces a piece of a compiled file of ours while it is loaded. */
export const initialize: InitializeHook<typeof bug> = (given) => {
  bug = given;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (url !== bug.url) return loaded;
  const source = typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString('utf8');
  return { ...loaded, source: planted(source, bug) };
};
