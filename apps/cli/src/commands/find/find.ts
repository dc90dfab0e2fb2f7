import {
  AmountSums,
  COMMAND_TOPICS,
  commandIdTimeMs,
  orderKey,
  railOfTopic,
  TOPICS,
  type Merchants,
  type TopicDefinition,
} from '@tranche/contracts';
import { groupMembers, groupProgress, waitingRecords } from '@tranche/kafka';
import { partitionForKey, silentLog } from '@tranche/runtime';
import { CannotTellError } from '../../exit.js';
import {
  copyOf,
  deadLetterOf,
  eventOf,
  idOf,
  orderOf,
  storiesOf,
  type CommandCopy,
  type CommandStory,
  type DeadLetter,
  type SeenEvent,
} from './command-story.js';
import { railOfGateway } from './rail-of-gateway.js';
import type { TopicReading } from './topic-reading.js';
import { verdictOf, type Found, type GatewayPosition } from './verdict.js';

/** A command by its id, or all of an order. */
export type Wanted = { id: string } | { merchant: string; orderId: string };

export interface FoundCommand extends Found, CommandStory {
  order?: { merchant: string; orderId: string };
  position?: GatewayPosition;
  /** Progress of the wanted consumer group on the partition of the last event. */
  group?: { name: string; next?: bigint; hasRead: boolean };
}

interface FindOptions {
  sinceMs: number;
  /** Group of the consumer that should have got the event, by its name at Kafka. */
  group?: string | undefined;
  /** Management address of a gateway. */
  gateway: string;
  /** Tell the currency of commands that name none. */
  merchants?: Merchants | undefined;
  nowMs: number;
}

/** The gateways' group, without prefix. */
const GATEWAYS = 'payment-gateway';
/** Clocks of publishers, gateways and brokers differ. */
const CLOCKS_APART_MS = 300_000;
const DAY_MS = 86_400_000;
/** Most waiting commands whose amounts are added up. */
const READ_AT_MOST = 100_000;
const COMMANDS: readonly TopicDefinition[] = Object.values(COMMAND_TOPICS);

/** An id that contains its time says from when to read. */
export const defaultSinceMs = (wanted: Wanted, nowMs: number): number => {
  const madeMs = 'id' in wanted ? commandIdTimeMs(wanted.id) : undefined;
  return madeMs === undefined ? nowMs - DAY_MS : madeMs - CLOCKS_APART_MS;
};

/** Reads command topics, dead letters and events. Needs only rights to read. */
export async function findCommands(
  reading: TopicReading,
  wanted: Wanted,
  options: FindOptions,
): Promise<FoundCommand[]> {
  const { sinceMs: fromMs, nowMs, group } = options;
  const wantedKey = 'id' in wanted ? undefined : orderKey(wanted.merchant, wanted.orderId);
  const copies: { commandId?: string; copy: CommandCopy }[] = [];
  const letters: DeadLetter[] = [];
  const events: SeenEvent[] = [];

  await Promise.all(
    COMMANDS.map((definition) =>
      reading.read(definition, { fromMs }, (record) => {
        if (wantedKey !== undefined && record.key !== wantedKey) return;
        const commandId = idOf(record);
        if ('id' in wanted && commandId !== wanted.id) return;
        copies.push({ ...(commandId === undefined ? {} : { commandId }), copy: copyOf(record) });
      }),
    ),
  );
  const places = new Set(copies.map(({ copy: { topic, partition, offset } }) => `${topic}/${partition}/${offset}`));
  const keys = wantedKey === undefined ? [...new Set(copies.map(({ copy }) => copy.key))] : [wantedKey];
  // Without a key the event may be anywhere.
  const isKeyed = keys.length > 0 && keys.every((key) => key !== null);
  const partitionsOf = () => keys.map((key) => partitionForKey(key!, TOPICS.events.partitions));
  await Promise.all([
    reading.read(TOPICS.commandsDeadLetter, { fromMs }, (record) => {
      const letter = deadLetterOf(record);
      const isWanted = 'id' in wanted ? letter.commandId === wanted.id : letter.key === wantedKey;
      if (isWanted || places.has(letter.of)) letters.push(letter);
    }),
    reading.read(TOPICS.events, { fromMs, ...(isKeyed && { partitionsOf }) }, (record) => {
      if (wantedKey !== undefined && record.key !== wantedKey) return;
      if ('id' in wanted && record.headers.ce_causationid !== wanted.id) return;
      events.push(eventOf(record));
    }),
  ]);
  if (reading.missing.length > 0)
    throw new CannotTellError(
      `these topics do not exist, or this user may not read them: ${reading.missing.join(', ')}. Compare KAFKA_BROKERS and KAFKA_TOPIC_PREFIX ("${reading.prefix}") with those of payment-gateway`,
    );

  const stories = storiesOf(copies, letters, events);
  const none: CommandStory = { ...('id' in wanted && { commandId: wanted.id }), copies: [], letters: [], events: [] };
  const searched = {
    topics: COMMANDS.map((definition) => reading.name(definition)),
    brokers: reading.client.brokers,
    since: new Date(fromMs).toISOString(),
    nowMs,
  };
  const found: FoundCommand[] = [];
  for (const story of stories.length > 0 ? stories : [none]) {
    const position = await positionOf(reading, story, options);
    const order = orderOf(story) ?? ('id' in wanted ? undefined : wanted);
    const ofGroup = group === undefined ? undefined : await groupOf(reading, group, story.events.at(-1));
    found.push({
      ...story,
      ...verdictOf(story, position, searched),
      ...(order && { order }),
      ...(position && { position }),
      ...(ofGroup && { group: ofGroup }),
    });
  }
  return found;
}

/** Undefined where the command was answered, or is nowhere. */
async function positionOf(
  reading: TopicReading,
  story: CommandStory,
  { gateway, merchants }: Pick<FindOptions, 'gateway' | 'merchants'>,
): Promise<GatewayPosition | undefined> {
  const copy = story.copies.at(-1);
  if (copy === undefined || story.events.length + story.letters.length > 0) return undefined;
  const { client, prefix } = reading;
  const { topic, partition, offset } = copy;
  const group = prefix + GATEWAYS;
  const [progress, members] = await Promise.all([
    groupProgress(client, group, topic),
    groupMembers(client, [group], topic),
  ]);
  const { next = 0n, finished } = progress.get(partition) ?? {};
  const isHandled = offset < next || finished?.has(offset) === true;
  const ahead = isHandled || offset < next ? 0n : offset - next;
  const oldestMs = isHandled ? undefined : await reading.timeAt(topic, partition, next);
  const position = { isHandled, ahead, gateways: members.length, ...(oldestMs === undefined ? {} : { oldestMs }) };
  const rail = railOfTopic(topic.slice(prefix.length));
  if (isHandled || rail === undefined) return position;
  const sums = new AmountSums(merchants);
  const question = { groupId: group, topic, readAtMost: READ_AT_MOST, log: silentLog };
  const counted = await waitingRecords(client, question, (record) => sums.add(record));
  return { ...position, rail, waiting: sums.result(counted), stop: await railOfGateway(gateway, rail) };
}

async function groupOf(
  { client }: TopicReading,
  name: string,
  event: SeenEvent | undefined,
): Promise<FoundCommand['group']> {
  if (event === undefined) return undefined;
  const next = (await groupProgress(client, name, event.topic)).get(event.partition)?.next;
  return { name, ...(next === undefined ? {} : { next }), hasRead: next !== undefined && next > event.offset };
}
