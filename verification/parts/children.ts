import { fork } from 'node:child_process';
import type { ProfileName } from '../simulation/profile.js';
import type { Chunk, Part, Played } from './run-part.js';

export interface Campaign {
  part: Part;
  chunks: readonly Chunk[];
  workers: number;
  onPlayed: (played: Played) => void;
}

/** The seeds `seed` to `seed + runs - 1` of a profile, `size` of them in a chunk. */
export function chunksOf(profile: ProfileName, seed: number, runs: number, size: number): Chunk[] {
  return Array.from({ length: Math.ceil(runs / size) }, (_, at) => ({
    profile,
    from: seed + at * size,
    runs: Math.min(size, runs - at * size),
  }));
}

/** Gives chunks of seeds to child processes until all are done, or until one has failed if that is enough. */
export async function campaign({ part, chunks, workers, onPlayed }: Campaign): Promise<void> {
  const waiting = [...chunks];
  let isEnough = false;
  const take = (): Chunk | undefined => (isEnough ? undefined : waiting.shift());
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(process.argv[1]!, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        code === 0 ? resolve() : reject(new Error(`a simulating process ended with ${code ?? signal}`)),
      );
      // Its first message says that it is ready: it has played nothing.
      child.on('message', (all: Played[]) => {
        all.forEach(onPlayed);
        if (part.stopsAtFirst && all.some(({ violations }) => violations.length > 0)) isEnough = true;
        child.send(take() ?? 'end');
      });
      child.send(part);
    });
  await Promise.all(Array.from({ length: Math.min(workers, chunks.length) }, work));
}
