import type { Publisher } from './publisher.js';
import type { SubscribeOptions, Subscription } from './subscription.js';

export interface ClientHealth {
  /** False: it will not recover by itself, start the process anew. */
  readonly isLive: boolean;
  /** False: commands can't be published or events don't come at the moment. */
  readonly isReady: boolean;
  /** Why not. */
  readonly reasons: readonly string[];
}

/** What `Tranche` and `InMemoryTranche` have in common: what a service should ask for. */
export interface TrancheClient {
  readonly publisher: Publisher;
  /** Resolves when the group was joined. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  health(): ClientHealth;
  /** Ends subscriptions, sends what waits to be sent, and disconnects. Pending waits reject with ClientClosedError. */
  close(): Promise<void>;
}
