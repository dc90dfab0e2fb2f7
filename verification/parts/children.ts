import { fork } from 'node:child_process';
import type { Chunk, Part, Tally } from './run-part.js';

export interface Campaign {
  part: Part;
  seed: number;
  runs: number;
  workers: number;
  chunk: number;
  onTally: (tally: Tally) => void;
}

/** Gives chunks of seeds to child processes until all are done, or until one has failed if that is enough. */
export async function campaign({ part, seed, runs, workers, chunk, onTally }: Campaign): Promise<void> {
  let next = seed;
  const end = seed + runs;
  let isEnough = false;
  const take = (): Chunk | undefined => {
    if (isEnough || next >= end) return undefined;
    const from = next;
    next = Math.min(end, from + chunk);
    return { from, runs: next - from };
  };
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
  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(runs / chunk)) }, work));
}
