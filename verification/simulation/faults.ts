import type { Fleet } from './fleet.js';
import type { SimulatedProcess } from './process.js';
import type { Sleeper } from './scheduler.js';

/** Kills and pauses are most harmful around INTENT, call, OUTCOME, events, index and commit. */
const CRITICAL = /INTENT|connect|POST|OUTCOME|publish events|index write|commit/;
const CRITICAL_TIMES = 4;

/** A world at rest does not wait for what never ends. */
const FOR_EVER: Sleeper = { isAlive: true, pausedUntilMs: 0 };

/** Makes a world fail by its profile: whenever a process wakes, and at set times. */
export class FaultInjector {
  readonly counts = { crashes: 0, pauses: 0, flushes: 0 };

  constructor(private readonly fleet: Fleet) {}

  /** Call it before the process does what the label says. */
  inject(process: SimulatedProcess, label: string): void {
    const { index, gatewayGroup, notificationGroup, env } = this.fleet.world;
    const { random, scheduler, profile, note } = env;
    const { losses, moves } = profile;
    const times = CRITICAL.test(label) ? CRITICAL_TIMES : 1;
    if (random.chance(profile.crash * times)) {
      this.counts.crashes++;
      this.fleet.kill(process);
    } else if (random.chance(profile.pause * times)) {
      this.counts.pauses++;
      process.pausedUntilMs = scheduler.nowMs + random.between(0.5, 1.5) * profile.pauseMs;
      note(`${process.name} stands still until ${process.pausedUntilMs.toFixed(0)}`);
    }
    if (random.chance(profile.rebalance)) random.pick([gatewayGroup, gatewayGroup, notificationGroup]).rebalance();
    if (random.chance(profile.flush)) {
      note(`the index is flushed`);
      this.#loseIndex();
    }
    if (random.chance(profile.restore)) {
      note(`the index goes back`);
      index.restoreOlder();
    }
    if (losses && random.chance(losses.evict)) {
      note(`the index loses orders`);
      index.evict();
    }
    if (losses && random.chance(losses.corrupt)) {
      note(`an order of the index is corrupt`);
      index.corrupt();
    }
    if (moves && random.chance(moves.unheard)) {
      process.unheardUntilMs = scheduler.nowMs + random.between(6_000, 20_000);
      note(`no coordinator hears ${process.name} until ${process.unheardUntilMs.toFixed(0)}`);
    }
    if (moves && random.chance(moves.indexAway)) {
      index.awayUntilMs = scheduler.nowMs + random.between(500, 8_000);
      note(`Redis is away until ${index.awayUntilMs.toFixed(0)}`);
    }
    if (random.chance(profile.clockJump))
      process.wallOffsetMs += random.between(-1, 1) * random.pick([1_500, 864_000_000]);
  }

  schedule(): void {
    const { fleet } = this;
    const { world } = fleet;
    const { random, scheduler, profile } = world.env;
    const { days, joins, edges: { cutsAtMs = [], movesAtMs, switches = [] } = {} } = profile;
    if (days) {
      scheduler.after(days.stopAtMs, 'all gateways stop', () => fleet.stop());
      // Some seconds of the platform later, more than a week has passed.
      scheduler.after(days.startAtMs, 'days later, the gateways may start', () => {
        world.env.stoppedMs = days.passedMs;
        fleet.release();
      });
    }
    for (const atMs of cutsAtMs)
      scheduler.after(atMs, 'retention deletes the beginning of the journal', () => {
        this.counts.flushes++;
        world.cut();
      });
    if (joins) {
      const joinAgain = () => {
        scheduler.after(
          joins.everyMs,
          'the group is joined again',
          () => {
            world.gatewayGroup.rebalance();
            joinAgain();
          },
          FOR_EVER,
        );
      };
      joinAgain();
      scheduler.after(joins.lostAtMs, 'the index is lost', () => this.#loseIndex());
    }
    if (movesAtMs !== undefined)
      scheduler.after(movesAtMs, 'the journal moves', () => {
        fleet.killAll();
        world.move(BigInt(random.pick([0, 5, 1_000])));
      });
    for (const { atMs, version } of switches)
      scheduler.after(atMs, 'a roll-out begins', () =>
        scheduler.after(fleet.roll(version), 'the index is lost after the roll-out', () => this.#loseIndex()),
      );
  }

  #loseIndex(): void {
    this.counts.flushes++;
    this.fleet.world.index.flush();
  }
}
