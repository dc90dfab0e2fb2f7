import { Injectable } from '@nestjs/common';
import { WorkStanding } from '@tranche/kafka';
import { errorText, within } from '@tranche/runtime';
import { Health, ServiceLogger } from '@tranche/service-kit';
import { Clock, RepeatedWork } from './clock.js';
import { CommandGate } from './journal/command-gate.service.js';
import { Journal } from './journal/journal.service.js';
import { Recovery } from './journal/recovery.service.js';
import { RedisGuard } from './journal/redis-guard.service.js';
import { RailBreakers } from './platform/rail-breakers.service.js';

/** Redis or the decisions that have not answered by then are an obstacle. Milliseconds. */
const ANSWER_MS = 10_000;

/**
 * Looks for what keeps this instance from its work, though it may keep no other one: while it lasts, the group gives the partitions to
 * instances that can work (docs/decisions/0104). A stopped partition is no obstacle, because it would stop elsewhere too.
 */
@Injectable()
export class WorkObstacles extends RepeatedWork {
  protected readonly everyMs = 5_000;
  readonly #standing = new WorkStanding();
  #newest = '';

  constructor(
    private readonly redis: RedisGuard,
    private readonly recovery: Recovery,
    private readonly commandGate: CommandGate,
    private readonly breakers: RailBreakers,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
    { view }: Journal,
    health: Health,
  ) {
    super();
    // With partitions it is as ready as they are.
    const hasGivenAll = () => !this.canWork && view.owners.length === 0;
    health.addReadiness('work', () =>
      hasGivenAll() ? `its partitions are with another instance: ${this.#newest}` : undefined,
    );
  }

  get canWork(): boolean {
    return this.#standing.canWork;
  }

  protected async run(): Promise<void> {
    const obstacle = await this.#find();
    this.#newest = obstacle ?? this.#newest;
    if (!this.#standing.look(obstacle !== undefined, this.clock.monotonicMs())) return;
    if (this.canWork) this.log.info({}, 'This instance can work again, and takes its share of the partitions');
    else
      this.log.error(
        { obstacle },
        `This instance has not been able to work for 30 s: ${obstacle}. Its partitions go to an instance that can work, if there is one`,
      );
  }

  async #find(): Promise<string | undefined> {
    try {
      const asked = Promise.all([this.redis.assertUsable(), this.recovery.assertCurrent()]);
      await within(ANSWER_MS, asked, () => new Error('Redis or the decisions of `tranche journal` do not answer'));
    } catch (error) {
      return errorText(error);
    }
    return this.commandGate.blockedBecause ?? this.breakers.unreachable;
  }
}
