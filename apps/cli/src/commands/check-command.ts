import {
  COMMAND_TOPICS,
  commandSignatureProblem,
  decodeCloudEvent,
  isCommandType,
  isPaymentOption,
  judgeCommand,
  METHODS,
  operationKind,
  PAYMENT_OPTIONS,
  RAILS,
  railOfTopic,
  SIGNATURE_HEADER,
  type Fault,
  type JudgedCommand,
  type Merchant,
  type Merchants,
  type Rail,
  type SignatureProblem,
} from '@tranche/contracts';
import { JOURNAL_PARTITIONS } from '@tranche/order-journal';
import { faultsOfAge, type PlatformOperation } from '@tranche/platform';
import { partitionForKey } from '@tranche/runtime';
import { adviceFor, SIGNATURE_ADVICE } from './advice.js';
import type { Given, GivenCommand } from './given-commands.js';

/** The environment that commands are checked against. */
export interface Environment {
  prefix: string;
  merchants: Merchants;
  environmentId?: string | undefined;
  /** Partitions of a topic (with prefix) at the brokers; undefined where it does not exist. Absent where no brokers are asked. */
  partitionsOf?: (topic: string) => Promise<number | undefined>;
  nowMs: number;
}

interface CheckFault {
  path: string;
  code: string;
  message: string;
  /** The advice: the next step of a person. */
  next: string;
}

/** The end that payment-gateway would give the command. `not_read`: it lies where no gateway of this environment reads. `no_command`: nothing to judge. */
export type Verdict = 'no_command' | 'accepted' | 'rejected' | 'unreadable' | 'signature_refused' | 'not_read';

export interface CheckedCommand {
  at: string;
  verdict: Verdict;
  id?: string | undefined;
  type?: string | undefined;
  topic?: string;
  key: string | null;
  partition?: { number: number; of: number };
  signature?: SignatureProblem | 'verified' | 'not_needed';
  faults: CheckFault[];
  notes: string[];
}

/** Checks a command as payment-gateway would, without its order, and sends nothing. */
export async function checkCommandGiven(given: Given, environment: Environment): Promise<CheckedCommand> {
  const { at } = given;
  if ('fault' in given) {
    const fault = {
      path: '',
      code: 'malformed_envelope',
      message: given.fault,
      next: 'see `tranche commands check --help`',
    };
    return { at, verdict: 'no_command', key: null, faults: [fault], notes: [] };
  }
  const { merchants, environmentId, nowMs } = environment;
  const { event } = decodeCloudEvent(given.record);
  const place = placeOf(given, environment, event?.type, event?.data);
  const record = { ...given.record, timestampMs: given.record.timestampMs ?? nowMs };
  const { key } = record;
  // Without a topic any rail: the faults of the others are listed all the same.
  const rail = place.rail ?? RAILS[0]!;
  const judged = judgeCommand(record, rail, merchants);
  const faults: CheckFault[] = [...place.faults];
  faults.push(...[...judged.faults, ...faultsOfTime(judged, rail, record.timestampMs, nowMs)].map((one) => advised(one, place, environment))); // prettier-ignore
  const merchant = merchantOf(judged, merchants);
  const { topic } = place;
  const signature =
    merchant && topic !== undefined
      ? ((await commandSignatureProblem({ ...record, topic }, merchant, environmentId)) ?? 'not_needed')
      : undefined;
  const isRefused = signature !== undefined && signature !== 'verified' && signature !== 'not_needed';
  if (isRefused) {
    const next = `${SIGNATURE_ADVICE[signature]}${await hintOf(signature, given, { topic: topic!, merchant: merchant!, environment })}`;
    faults.push({ path: SIGNATURE_HEADER, code: 'signature_refused', message: `does not count: ${signature}`, next });
  }
  const partitions = await partitionOf(given, topic, environment);
  faults.push(...partitions.faults);
  return {
    at,
    verdict: verdictOf(place.faults.length + partitions.faults.length > 0, judged, isRefused, faults.length),
    id: event?.id,
    type: event?.type,
    ...(topic === undefined ? {} : { topic }),
    key,
    ...(partitions.partition && { partition: partitions.partition }),
    ...(signature === undefined ? {} : { signature }),
    faults,
    notes: partitions.notes,
  };
}

function verdictOf(isElsewhere: boolean, { read }: JudgedCommand, isRefused: boolean, faults: number): Verdict {
  if (isElsewhere) return 'not_read';
  if (read === 'unreadable') return read;
  if (isRefused) return 'signature_refused';
  return faults > 0 ? 'rejected' : 'accepted';
}

function merchantOf(judged: JudgedCommand, merchants: Merchants): Merchant | undefined {
  return judged.read === 'accepted' ? judged.merchant : judged.named && merchants.byName(judged.named.merchant);
}

/** Faults that payment-gateway finds just before the call. */
function faultsOfTime(judged: JudgedCommand, rail: Rail, appendedMs: number, nowMs: number): Fault[] {
  const { type = '', time = '' } = judged.event;
  if (judged.read !== 'accepted' || !isCommandType(type)) return [];
  const { merchant, value } = judged;
  const { orderId } = value;
  const command = { operation: operationKind(type), data: value, rail, merchant, orderId } as PlatformOperation;
  return faultsOfAge({ ...command, timeMs: Date.parse(time), appendedMs }, nowMs);
}

type Place = { topic?: string; rail?: Rail; faults: CheckFault[] };

/** The topic that the input names, or else the one that fits the type. */
function placeOf({ topic }: GivenCommand, { prefix }: Environment, type: string | undefined, data: unknown): Place {
  const fitting = fittingRail(type, data);
  if (topic === undefined) {
    if (fitting !== undefined) return { topic: prefix + COMMAND_TOPICS[fitting].name, rail: fitting, faults: [] };
    const next = `name the topic of the order’s payment with --topic or in the record: ${topicsIn(prefix)}`;
    return {
      faults: [{ path: 'topic', code: 'required', message: 'is not given, and the type does not say it', next }],
    };
  }
  const rail = topic.startsWith(prefix) ? railOfTopic(topic.slice(prefix.length)) : undefined;
  if (rail !== undefined) return { topic, rail, faults: [] };
  const meant = RAILS.find((one) => topic.endsWith(COMMAND_TOPICS[one].name));
  const next = `publish to ${meant === undefined ? topicsIn(prefix) : prefix + COMMAND_TOPICS[meant].name}, the prefix is KAFKA_TOPIC_PREFIX`;
  const message = `is no command topic of this environment, whose prefix is "${prefix}": no gateway would read it`;
  return { topic, ...(meant && { rail: meant }), faults: [{ path: 'topic', code: 'unknown_topic', message, next }] };
}

/** The topic that a command is signed for. */
export function topicFor(given: GivenCommand, prefix: string): string | undefined {
  const { event } = decodeCloudEvent(given.record);
  const rail = fittingRail(event?.type, event?.data);
  return given.topic ?? (rail && prefix + COMMAND_TOPICS[rail].name);
}

const topicsIn = (prefix: string) => RAILS.map((rail) => prefix + COMMAND_TOPICS[rail].name).join(', ');

/** The rail of a payment; undefined for a follow-up, which goes to its payment's, and for an unknown payment option. */
function fittingRail(type: string | undefined, data: unknown): Rail | undefined {
  if (type === 'payment.pay') return METHODS.card.rail;
  const { paymentOption: option } = (typeof data === 'object' && data !== null ? data : {}) as {
    paymentOption?: unknown;
  };
  return type === 'payment.authorize' && isPaymentOption(option)
    ? METHODS[PAYMENT_OPTIONS[option].method].rail
    : undefined;
}

/** An option on another rail's topic is an unknown value there; the advice then names its topic. */
function advised({ path, code, message }: Fault, { rail }: Place, { prefix }: Environment): CheckFault {
  const isOption = path === 'paymentOption' && code === 'enum';
  const next = isOption && rail !== undefined ? `send it to the topic of its method (${topicsIn(prefix)}); this one takes the options listed` : adviceFor(code); // prettier-ignore
  return { path, code, message, next };
}

async function partitionOf(
  { record: { key }, partition: given }: GivenCommand,
  topic: string | undefined,
  { partitionsOf }: Environment,
): Promise<Pick<CheckedCommand, 'faults' | 'notes' | 'partition'>> {
  const asked = topic === undefined ? undefined : await partitionsOf?.(topic);
  const faults: CheckFault[] = [];
  const notes: string[] = [];
  if (topic !== undefined && partitionsOf !== undefined && asked === undefined)
    faults.push({
      path: 'topic',
      code: 'unknown_topic',
      message: 'does not exist at KAFKA_BROKERS, or this user may not see it',
      next: 'compare KAFKA_BROKERS and KAFKA_TOPIC_PREFIX with those of payment-gateway',
    });
  const of = JOURNAL_PARTITIONS;
  if (asked !== undefined && asked < of) notes.push(`the topic has ${asked} partitions and must have at least ${of}: no gateway starts`); // prettier-ignore
  if (asked !== undefined && asked > of) notes.push(`the topic has ${asked} partitions, of which ${of} are used: name the partition in the publisher (murmur2 of the key modulo ${of}), because its partitioner chooses among all; gateways publish again what lies elsewhere`); // prettier-ignore
  if (key === null) return { faults, notes };
  const number = partitionForKey(key, of);
  if (given !== undefined && given !== number)
    notes.push(`it lies on partition ${given}, and belongs to ${number}: gateways publish it again, and an order’s commands may lose their order. Set partitioner=murmur2_random in its publisher`); // prettier-ignore
  return { faults, notes, partition: { number, of } };
}

/** Says with which other environment, topic or bytes a signature would count: the causes that its text does not show. */
async function hintOf(
  problem: SignatureProblem,
  { record, isValueRewritten }: GivenCommand,
  { topic, merchant, environment }: { topic: string; merchant: Merchant; environment: Environment },
): Promise<string> {
  if (problem !== 'does_not_match') return '';
  const { prefix, environmentId } = environment;
  const variants: [string, string, string | undefined][] = [
    ['it was signed for no environment', topic, undefined],
    ['it was signed for the topic without its prefix', topic.slice(prefix.length), environmentId],
    ['it was signed for the topic without its prefix and for no environment', topic.slice(prefix.length), undefined],
  ];
  for (const [says, signedTopic, signedEnvironment] of variants) {
    const signed = { ...record, topic: signedTopic, timestampMs: record.timestampMs ?? environment.nowMs };
    if ((await commandSignatureProblem(signed, merchant, signedEnvironment)) === 'verified') return `. Here ${says}`;
  }
  if (environmentId === undefined) return '. ENVIRONMENT_ID is not set here: set it as for payment-gateway';
  return isValueRewritten ? '. Give the value as a text: the bytes of a JSON object may differ from those signed' : '';
}
