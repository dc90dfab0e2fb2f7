import type { Mutant } from './mutant.js';

const clocks = { project: 'order-journal', profile: 'clocks', file: 'timers/timer-watch.js' } as const;

/** Mistakes about clocks that are wrong by days (R5). */
export const CLOCK_MUTANTS: readonly Mutant[] = [
  {
    ...clocks,
    name: 'commands-by-a-wrong-clock',
    does: 'does not say how far the clocks are apart, so that commands are taken all the same',
    find: 'if (this.#isApart)\n            return apartMs;',
    replace: 'if (this.#isApart)\n            return 0;',
  },
  {
    ...clocks,
    name: 'ages-by-a-wrong-clock',
    does: 'judges what is due by its own clock, though that is wrong',
    find: 'if (this.#isApart)\n            return apartMs;',
    replace: ';',
  },
];
