import { writeFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import { MERCHANT_PATTERN, parseOrderKey, orderKey, TOPICS } from '@tranche/contracts';
import { topicOffsets, UnknownTopicError, type KafkaClient } from '@tranche/kafka';
import { loadConfig } from '@tranche/service-kit';
import { CannotTellError, EXIT, RefusedError, SettingsError, UsageError } from '../exit.js';
import { jsonText } from '../printable.js';
import { checkCommandGiven, type CheckedCommand } from './check-command.js';
import { checkText } from './check-text.js';
import { CommandsConfig, openKafka } from './commands.config.js';
import { deadLetterOf, type DeadLetter } from './find/command-story.js';
import { findText, refusedText } from './find/find-text.js';
import { defaultSinceMs, findCommands, type Wanted } from './find/find.js';
import { TopicReading } from './find/topic-reading.js';
import { givenCommands, readInput, type Given } from './given-commands.js';
import { isKid, makeKey, readPrivateKey, signAll } from './sign.js';

const FILE =
  'CloudEvents or records as JSON: one, a list, or one per line (as kcat -J prints them); - reads standard input';
const DAY_MS = 86_400_000;

interface Json {
  json?: boolean;
}

/** `tranche commands` checks and signs commands before they are sent, and shows afterwards how each of them ended. */
export function addCommandsCommand(program: Command, exit: (code: number) => void): void {
  const commands = program
    .command('commands')
    .description('checks, signs and finds payment commands; settings are named as those of payment-gateway');

  commands
    .command('check')
    .description('lists every fault of commands as this environment would find it; sends nothing; exit code 0 accepted, 3 refused')
    .argument('<file>', FILE)
    .option('--topic <name>', 'topic with prefix of commands that name none')
    .option('--json', 'prints JSON')
    .action(async (file: string, { topic, json }: Json & { topic?: string }) => {
      const checked = await check(givenFrom(file, topic));
      console.log(json === true ? jsonText({ commands: checked }) : checkText(checked));
      exit(checked.every(({ verdict }) => verdict === 'accepted') ? EXIT.done : EXIT.refused);
    }); // prettier-ignore

  commands
    .command('sign')
    .description('prints the commands as records with a signature for ENVIRONMENT_ID, one per line; the value is the text that was signed')
    .argument('<file>', FILE)
    .requiredOption('--key <file>', 'private key, Ed25519 in PEM')
    .requiredOption('--kid <kid>', 'its name in `publisherKeys` of the merchant', keyId)
    .option('--topic <name>', 'topic with prefix of commands that name none')
    .option('--out <file>', 'writes to a new file')
    .action((file: string, options: { key: string; kid: string; topic?: string; out?: string }) => {
      const { kafkaTopicPrefix, environmentId } = loadConfig(CommandsConfig);
      const by = { kid: options.kid, privateKey: readPrivateKey(options.key), environmentId };
      const signed = signAll(givenFrom(file, options.topic), kafkaTopicPrefix, by);
      const text = signed.map((record) => jsonText(record)).join('\n');
      if (options.out === undefined) console.log(text);
      else writeNew(options.out, `${text}\n`);
      const topics = [...new Set(signed.map(({ topic }) => topic))].join(', ');
      console.error(`signed for ${environmentId ?? 'no environment (ENVIRONMENT_ID is not set)'}, ${topics}`);
      exit(EXIT.done);
    }); // prettier-ignore

  commands
    .command('keygen')
    .description('writes a new private key that only its owner can read, and prints its entry for `publisherKeys` in MERCHANTS_FILE')
    .argument('<file>', 'new file for the private key, PEM; never overwritten')
    .requiredOption('--kid <kid>', 'name of the key, 1 to 64 letters, digits, hyphens, dots and underscores', keyId)
    .action((file: string, { kid }: { kid: string }) => {
      console.log(jsonText(makeKey(file, kid)));
      console.error(`${file} holds the private key: give it to the publisher alone`);
      exit(EXIT.done);
    }); // prettier-ignore

  commands
    .command('find')
    .description('why its sender hears nothing of a command: reads command topics, dead letters and events; exit code 0 there is a result, 1 there is none, or it can not tell')
    .argument('[id]', 'id of the command (ce_id)')
    .option('--merchant <name>', 'with --order instead of an id: all commands of an order', merchantName)
    .option('--order <id>', 'id of the order')
    .option('--since <time>', 'reads from then on: 30m, 24h, 7d or an RFC 3339 time; default: the time in the id, else 24h', since)
    .option('--group <name>', 'group of the consumer that should have got the event: whether it has read so far')
    .option('--gateway <url>', 'management address of a gateway, asked if the rail of a waiting command is stopped; default: this machine at MANAGEMENT_PORT', gatewayUrl)
    .option('--json', 'prints JSON')
    .action(async (id: string | undefined, options: Json & { merchant?: string; order?: string; since?: number; group?: string; gateway?: string }) => {
      const wanted = wantedOf(id, options);
      const nowMs = Date.now();
      const sinceMs = options.since ?? defaultSinceMs(wanted, nowMs);
      const reading = await openReading();
      const { managementPort, merchants } = loadConfig(CommandsConfig);
      const gateway = options.gateway ?? `http://127.0.0.1:${managementPort}`;
      const found = await findCommands(reading, wanted, { sinceMs, group: options.group, gateway, merchants, nowMs });
      const about = { since: new Date(sinceMs).toISOString(), prefix: reading.prefix, records: reading.records };
      console.log(options.json === true ? jsonText({ commands: found, read: about }) : findText(found));
      console.error(`read ${reading.records} records since ${about.since}`);
      exit(found.every(({ verdict }) => verdict === 'done') ? EXIT.done : EXIT.failed);
    }); // prettier-ignore

  commands
    .command('refused')
    .description('lists commands in the dead letters, with reason and key id; exit code 0 none, 6 some, 1 can not tell')
    .option('--merchant <name>', 'of this merchant only', merchantName)
    .option('--since <time>', 'reads from then on: 30m, 24h, 7d or an RFC 3339 time; default: 24h', since)
    .option('--json', 'prints JSON')
    .action(async ({ merchant, since: sinceMs = Date.now() - DAY_MS, json }: Json & { merchant?: string; since?: number }) => {
      const reading = await openReading();
      const letters: DeadLetter[] = [];
      await reading.read(TOPICS.commandsDeadLetter, { fromMs: sinceMs }, (record) => {
        if (merchant === undefined || parseOrderKey(record.key ?? '')?.merchant === merchant) letters.push(deadLetterOf(record));
      });
      if (reading.missing.length > 0)
        throw new CannotTellError(`${reading.missing.join(', ')} does not exist, or this user may not read it`);
      letters.sort((one, other) => (one.at < other.at ? -1 : 1));
      if (json === true) console.log(jsonText({ refused: letters }));
      else if (letters.length > 0) console.log(refusedText(letters));
      console.error(`${letters.length} dead letters since ${new Date(sinceMs).toISOString()}`);
      exit(letters.length === 0 ? EXIT.done : EXIT.partly);
    }); // prettier-ignore
}

async function check(given: readonly Given[]): Promise<CheckedCommand[]> {
  const config = loadConfig(CommandsConfig);
  const { merchants, environmentId, kafkaTopicPrefix: prefix, kafkaBrokers } = config;
  if (merchants === undefined)
    throw new SettingsError('MERCHANTS_FILE is not set: set it as for payment-gateway, whose rules are checked');
  const client = kafkaBrokers === undefined ? undefined : await openKafka(config);
  const partitionsOf = client && partitionsAt(client);
  const environment = { prefix, merchants, environmentId, ...(partitionsOf && { partitionsOf }), nowMs: Date.now() };
  const checked: CheckedCommand[] = [];
  for (const one of given) checked.push(await checkCommandGiven(one, environment));
  return checked;
}

/** Asks once for each topic. */
function partitionsAt(client: KafkaClient): (topic: string) => Promise<number | undefined> {
  const asked = new Map<string, Promise<number | undefined>>();
  const ask = (topic: string) =>
    topicOffsets(client, topic).then(
      ({ size }) => size,
      (error: unknown) => {
        if (error instanceof UnknownTopicError) return undefined;
        throw error;
      },
    );
  return (topic) => {
    const answer = asked.get(topic) ?? ask(topic);
    asked.set(topic, answer);
    return answer;
  };
}

async function openReading(): Promise<TopicReading> {
  const config = loadConfig(CommandsConfig);
  return new TopicReading(await openKafka(config), config.kafkaTopicPrefix, (line) => console.error(line));
}

function givenFrom(file: string, topic: string | undefined): Given[] {
  const given = givenCommands(readInput(file));
  return topic === undefined ? given : given.map((one) => ('fault' in one ? one : { topic, ...one }));
}

function wantedOf(id: string | undefined, { merchant, order }: { merchant?: string; order?: string }): Wanted {
  if (id !== undefined && merchant === undefined && order === undefined) return { id };
  if (id !== undefined || merchant === undefined || order === undefined)
    throw new UsageError('give the id of a command, or --merchant and --order');
  const wanted = parseOrderKey(orderKey(merchant, order));
  if (wanted === undefined) throw new UsageError('--order must be 1 to 40 characters without control characters');
  return wanted;
}

function merchantName(text: string): string {
  if (!MERCHANT_PATTERN.test(text)) throw new InvalidArgumentError('1 to 32 lower-case letters, digits and hyphens');
  return text;
}

function gatewayUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) throw new InvalidArgumentError('http://host:port');
  return text;
}

function keyId(text: string): string {
  if (!isKid(text)) throw new InvalidArgumentError('1 to 64 letters, digits, hyphens, dots and underscores');
  return text;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS };

/** Milliseconds since the epoch. */
function since(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const timeMs = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNITS[unit] ?? 0);
  if (!(timeMs >= 0 && timeMs <= Date.now()))
    throw new InvalidArgumentError('30m, 24h, 7d or an RFC 3339 time that has passed');
  return timeMs;
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new RefusedError(`${file} exists and is not overwritten: name another file`);
    throw new CannotTellError(`${file} cannot be written`, { cause });
  }
}
