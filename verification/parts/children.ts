import { fork } from 'node:child_process';
import type { ProfileName } from '../simulation/profile.js';
import type { Chunk, Part, Tally } from './run-part.js';

export interface Campaign {
  part: Part;
  chunks: readonly Chunk[];
  workers: number;
  onTally: (tally: Tally) => void;
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
export async function campaign({ part, chunks, workers, onTally }: Campaign): Promise<void> {
  const waiting = [...chunks];
  let isEnough = false;
  const take = (): Chunk | undefined => (isEnough ? undefined : waiting.shift());
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(process.argv[1]!, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      const goOn = () => void child.send(take() ?? 'end');
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        code === 0 ? resolve() : reject(new Error(`a simulating process ended with ${code ?? signal}`)),
      );
      child.on('message', (message: Tally | 'ready') => {
        if (message !== 'ready') {
          onTally(message);
          if (part.stopsAtFirst && message.failed.length > 0) isEnough = true;
        }
        goOn();
      });
      child.send(part);
    });
  await Promise.all(Array.from({ length: Math.min(workers, chunks.length) }, work));
}
