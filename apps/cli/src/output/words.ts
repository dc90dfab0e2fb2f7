/** Returns what a timer does, in the words of the operators' page, or its name where it has none. */
export const timerInWords = (timer: string): string =>
  [...TIMERS].find(([begin]) => timer.startsWith(begin))?.[1] ?? timer;

const TIMERS = new Map([
  ['doubt_', 'the shop is reminded'],
  ['look_up_', 'the platform is asked'],
]);
