export interface ClockJump {
  ms: number;
  /** After the start of the process, milliseconds. */
  afterMs: number;
}

/** `Date` of this process jumps once; nothing monotonic does. */
export function jumpClock({ ms, afterMs }: ClockJump): void {
  const RealDate = Date;
  const nowMs = () => RealDate.now() + (performance.now() >= afterMs ? ms : 0);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget) as Date,
    get: (target, name, receiver) => (name === 'now' ? nowMs : (Reflect.get(target, name, receiver) as unknown)),
  });
}
