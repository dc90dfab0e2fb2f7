export interface ClockJump {
  ms: number;
}

/** `Date` of this process jumps on SIGUSR2; monotonic clocks do not. */
export function jumpClock({ ms }: ClockJump): void {
  const RealDate = Date;
  let aheadMs = 0;
  process.once('SIGUSR2', () => (aheadMs = ms));
  const nowMs = () => RealDate.now() + aheadMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget) as Date,
    get: (target, name, receiver) => (name === 'now' ? nowMs : (Reflect.get(target, name, receiver) as unknown)),
  });
}
