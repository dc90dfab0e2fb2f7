import { Injectable } from '@nestjs/common';
import { Health, ServiceLogger } from '@tranche/service-kit';

/** What may be wrong: each says so by itself, and takes it back by itself. */
export type IntakeObstacle = 'redis' | 'index' | 'clocks';

/** Whether commands are taken. While anything is in the way none is fetched, and the service is not ready; what was fetched before goes on. */
@Injectable()
export class Intake {
  readonly #obstacles = new Map<IntakeObstacle, string>();
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

  /** One listener. Told at once where something is in the way already. */
  onChange(listener: (isBlocked: boolean) => void): void {
    this.#onChange = listener;
    if (this.#obstacles.size > 0) listener(true);
  }

  /** `reason`: undefined where the obstacle is gone. */
  report(obstacle: IntakeObstacle, reason: string | undefined): void {
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
