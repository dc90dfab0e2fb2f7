import type { Publisher } from './publisher.js';
import type { SubscribeOptions, Subscription } from './subscription.js';

export interface ClientHealth {
  /** False if the client cannot recover by itself; restart the process. */
  readonly isLive: boolean;
  /** False if commands cannot be published, or events do not arrive, at the moment. */
  readonly isReady: boolean;
  readonly reasons: readonly string[];
}

/** The common interface of `Tranche` and `InMemoryTranche`; services should depend on it. */
export interface TrancheClient {
  readonly publisher: Publisher;
  /** Resolves when the group has been joined. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  health(): ClientHealth;
  /** Ends subscriptions, sends the queue, and disconnects. Pending waits reject with ClientClosedError. */
  close(): Promise<void>;
}
