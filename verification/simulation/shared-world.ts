import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import type { ResumeList } from '@tranche/order-journal';
import type { SimulatedCommand } from './commands.js';
import type { SimulatedGroup } from './consumer-group.js';
import type { SimulatedJournal } from './journal.js';
import type { SimulatedIndex } from './order-index.js';
import type { SimulatedNotification, SimulatedPlatform } from './platform.js';
import type { SimulatedTopic, TopicRecord } from './topics.js';

/** What all processes share. */
export interface SharedWorld {
  journal: SimulatedJournal;
  index: SimulatedIndex;
  platform: SimulatedPlatform;
  commands: ReadonlyMap<string, SimulatedTopic<SimulatedCommand>>;
  notifications: SimulatedTopic<SimulatedNotification & { id: string }>;
  gatewayGroup: SimulatedGroup;
  projectorGroup: SimulatedGroup;
  /** Records that projectors took, by the way they came. */
  taken: { buffered: number; fetched: number };
  publish(events: readonly CloudEvent<PaymentEvent>[]): void;
  rejected(record: TopicRecord<SimulatedCommand>): void;
  /** Whether the journal has the command by now, whoever has read it. */
  isKnown(command: SimulatedCommand): boolean;
  /** A command that today's configuration refuses, and that is told to be unknown. `wasKnown` when it came. */
  refused(record: TopicRecord<SimulatedCommand>, wasKnown: boolean): void;
  /** Dead letters: what was published before a partition that lost records was resumed. */
  heldBack(record: TopicRecord<SimulatedCommand>): void;
  /** When a command was made, as far as its record says so: in half of the orders a repeat has a new time. Virtual, milliseconds. */
  timeMs(record: TopicRecord<SimulatedCommand>): number;
  /** What people decided about partitions that lost records. */
  resumes: ResumeList;
  /** Keys of all orders. */
  orderKeys: readonly string[];
  threw(error: unknown): void;
  /** A part of ours logged an error: something was found that must never be. */
  alarmed(message: string): void;
}
