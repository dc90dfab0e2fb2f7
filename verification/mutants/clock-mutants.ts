import type { Mutant } from './mutant.js';

const clocks = { project: 'order-journal', profile: 'clocks' } as const;
const watch = { ...clocks, file: 'timers/timer-watch.js' } as const;
const clock = { ...clocks, file: 'timers/agreed-clock.js' } as const;

/** Bugs about clocks that are wrong by days (R5). */
export const CLOCK_MUTANTS: readonly Mutant[] = [
  {
    ...watch,
    name: 'commands-by-a-wrong-clock',
    does: 'does not say how far the clocks are apart, so that commands are taken all the same',
    find: 'if (this.#isApart)\n            return apartMs;',
    replace: 'if (this.#isApart)\n            return 0;',
  },
  {
    ...watch,
    name: 'ages-by-a-date-set-meanwhile',
    does: 'judges what is due by its date as it is once the order was read, not as it was compared',
    find: 'for (const timer of dueTimers(order, nowMs, this.settings))',
    replace: 'for (const timer of dueTimers(order, this.clock.nowMs(), this.settings))',
  },
  {
    ...clock,
    name: 'believes-a-date-set-back',
    does: 'writes the date of the machine into records, until Redis is asked the next time',
    find: 'Math.max(dateMs, expectedMs)',
    replace: 'dateMs',
  },
  {
    ...clock,
    name: 'believes-a-date-apart',
    does: 'writes the date of the machine into records, though Redis disagrees',
    find: 'return this.#isApart ? expectedMs : Math.max(dateMs, expectedMs)',
    replace: 'return this.#isApart ? dateMs : Math.max(dateMs, expectedMs)',
  },
];
