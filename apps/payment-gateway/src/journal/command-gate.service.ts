import { Injectable } from '@nestjs/common';
import { Health, ServiceLogger } from '@tranche/service-kit';

/** Sources of obstacles. Each reports its own obstacle and clears it. */
type CommandGateObstacle = 'redis' | 'index' | 'clocks';

/** While any obstacle exists, no command is fetched and the service is not ready; commands fetched before are still handled. */
@Injectable()
export class CommandGate {
  readonly #obstacles = new Map<CommandGateObstacle, string>();
  #onChange: (isBlocked: boolean) => void = () => undefined;

  constructor(
    health: Health,
    private readonly log: ServiceLogger,
  ) {
    health.addReadiness('intake', () => this.blockedBecause);
  }

  get blockedBecause(): string | undefined {
    return this.#obstacles.size === 0 ? undefined : [...this.#obstacles.values()].join('; ');
  }

  /** Sets the only listener. It is called at once where an obstacle exists already. */
  onChange(listener: (isBlocked: boolean) => void): void {
    this.#onChange = listener;
    if (this.#obstacles.size > 0) listener(true);
  }

  /** @param reason undefined clears the obstacle */
  report(obstacle: CommandGateObstacle, reason: string | undefined): void {
    const wasBlocked = this.#obstacles.size > 0;
    const isNew = reason !== undefined && !this.#obstacles.has(obstacle);
    if (reason === undefined) this.#obstacles.delete(obstacle);
    else this.#obstacles.set(obstacle, reason);
    const isBlocked = this.#obstacles.size > 0;
    if (isNew) this.log.error({ obstacle }, `No commands are taken: ${reason}`);
    if (isBlocked === wasBlocked) return;
    if (!isBlocked) this.log.info({}, 'Commands are taken again');
    this.#onChange(isBlocked);
  }
}
