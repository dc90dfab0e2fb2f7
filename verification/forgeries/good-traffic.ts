import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '@tranche/testing';
import type { TrafficFigures } from './traffic-process.js';

/** A child process sends signed notifications at a steady rate. */
export class GoodTraffic {
  readonly #child: ChildProcess;

  constructor(port: number, perSecond: number) {
    this.#child = fork(
      join(repositoryRoot(), 'verification/dist/forgeries/traffic-process.js'),
      [String(port), String(perSecond)],
      {
        execArgv: [],
      },
    );
  }

  figures(): Promise<TrafficFigures> {
    return this.#ask('figures');
  }

  stop(): Promise<TrafficFigures> {
    return this.#ask('stop');
  }

  #ask(question: string): Promise<TrafficFigures> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('the good traffic ended too early'));
      this.#child.once('exit', onExit);
      this.#child.once('message', (figures) => {
        this.#child.off('exit', onExit);
        resolve(figures as TrafficFigures);
      });
      this.#child.send(question);
    });
  }
}
