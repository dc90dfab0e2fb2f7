import type { RulesVersion } from '@tranche/order-journal';
import { SESSION_MS } from './consumer-group.js';
import { SimulatedGateway } from './gateway.js';
import { SimulatedProcess } from './process.js';
import { NEWEST } from './profile.js';
import { isBug } from './violations.js';
import type { World } from './world.js';

/** Plays the world on until the condition holds, or the run is over. */
export type Run = (isDone: () => boolean) => Promise<void>;

/** The gateways of a world. One that has died starts again some time later, unless all are kept stopped then. */
export class Fleet {
  readonly running = new Map<SimulatedProcess, SimulatedGateway>();
  readonly #versions: Map<string, RulesVersion>;
  #areStopped = false;
  #starts = 0;

  constructor(readonly world: World) {
    const { versions = [] } = world.env.profile.edges ?? {};
    this.#versions = new Map(versions.map((version, number) => [`gateway-${number}`, version]));
  }

  start(name: string): void {
    const { world } = this;
    if (this.#areStopped) return this.#startLater(name);
    const process = new SimulatedProcess(`${name}.${++this.#starts}`, world.env);
    const gateway = new SimulatedGateway(process, world, this.#versions.get(name) ?? NEWEST);
    this.running.set(process, gateway);
    gateway.start().catch((error: unknown) => {
      if (!process.isAlive) return;
      if (isBug(error)) world.threw(error);
      // A service that cannot start ends and is restarted.
      this.kill(process);
    });
  }

  #startLater(name: string): void {
    const { random, scheduler } = this.world.env;
    scheduler.after(random.between(100, 2_000), `${name} starts again`, () => this.start(name));
  }

  kill(process: SimulatedProcess): void {
    this.world.env.note(`${process.name} dies`);
    process.isAlive = false;
    this.running.delete(process);
    this.#startLater(process.name.split('.')[0]!);
  }

  killAll(): void {
    for (const process of [...this.running.keys()]) this.kill(process);
  }

  /** Kills all gateways. None starts until `release`. */
  stop(): void {
    this.#areStopped = true;
    this.killAll();
  }

  release(): void {
    this.#areStopped = false;
  }

  /** People stop every gateway, and act once the group has no member any more. */
  async whileStopped(run: Run, act: () => void | Promise<void>): Promise<void> {
    const { scheduler } = this.world.env;
    this.stop();
    const leftMs = scheduler.nowMs + SESSION_MS;
    await run(() => scheduler.nowMs >= leftMs);
    await act();
    this.release();
  }

  /** Restarts one gateway after the other with another version. Returns in how many milliseconds the last one is killed for it. */
  roll(version: RulesVersion): number {
    const { random, scheduler } = this.world.env;
    let atMs = 0;
    for (const name of this.#versions.keys()) {
      scheduler.after(atMs, `${name} is to write version ${version}`, () => {
        this.#versions.set(name, version);
        for (const process of [...this.running.keys()].filter((one) => one.name.startsWith(`${name}.`)))
          this.kill(process);
      });
      atMs += random.between(0, 3_000);
    }
    return atMs;
  }
}
