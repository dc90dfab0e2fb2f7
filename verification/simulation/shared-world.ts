import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import type { ResumeList } from '@tranche/order-journal';
import type { SimulatedCommand } from './commands.js';
import type { SimulatedGroup } from './consumer-group.js';
import type { SimulatedJournal } from './journal.js';
import type { SimulatedIndex } from './order-index.js';
import type { SimulatedNotification, SimulatedPlatform } from './platform.js';
import type { SimulatedTopic, TopicRecord } from './topics.js';

export interface SharedWorld {
  journal: SimulatedJournal;
  index: SimulatedIndex;
  platform: SimulatedPlatform;
  commands: ReadonlyMap<string, SimulatedTopic<SimulatedCommand>>;
  notifications: SimulatedTopic<SimulatedNotification & { id: string }>;
  gatewayGroup: SimulatedGroup;
  notificationGroup: SimulatedGroup;
  publish(events: readonly CloudEvent<PaymentEvent>[]): void;
  rejected(record: TopicRecord<SimulatedCommand>): void;
  /** A command that lay on another number than its order's is on its own, once more. */
  forwarded(record: TopicRecord<SimulatedCommand>): void;
  /** True if the journal has the command by now, no matter who has read it. */
  isKnown(command: SimulatedCommand): boolean;
  /** The configuration refuses a command and it is reported as unknown. `wasKnown` says whether the journal had it when it arrived. */
  refused(record: TopicRecord<SimulatedCommand>, wasKnown: boolean): void;
  /** The command became a dead letter, because it was published before a partition that lost records was resumed. */
  heldBack(record: TopicRecord<SimulatedCommand>): void;
  /** Virtual milliseconds of the command's creation, by its record. In half of the orders a repeat has a new time. */
  timeMs(record: TopicRecord<SimulatedCommand>): number;
  /** Resumes of partitions that lost records. */
  resumes: ResumeList;
  orderKeys: readonly string[];
  threw(error: unknown): void;
  /** Called if product code logs an error: it has detected a fault. */
  alarmed(message: string): void;
}
