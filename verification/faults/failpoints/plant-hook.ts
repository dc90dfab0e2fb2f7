import type { InitializeHook, LoadHook } from 'node:module';
import { planted } from '../../mutants/planted.js';
import { PLANTED, SECOND_OWNER, type PlantedPoint } from './failpoints.js';

let root: string;

/** Module hook that replaces pieces of our compiled files by failpoints while they are loaded. */
export const initialize: InitializeHook<string> = (given) => {
  root = given;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const points = url.startsWith(root) ? pointsOf(url.slice(root.length)) : [];
  if (points.length === 0) return loaded;
  const source =
    typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString('utf8');
  return { ...loaded, source: points.reduce(planted, source) };
};

/** @param path from the root of the repository */
export function pointsOf(path: string): PlantedPoint[] {
  return [...PLANTED, SECOND_OWNER].filter(({ project, file }) => path === `${project}/dist/${file}`);
}
