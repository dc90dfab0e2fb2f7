import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_TOPICS, TOPICS } from '@tranche/contracts';
import { UnknownTopicError, type ConsumedRecord, type KafkaClient } from '@tranche/kafka';
import { wholeTopic } from '../faults/traces-reader.js';
import type { Entry, Place } from './search.js';

const REQUEST_TIMEOUT_MS = 10_000;
const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

export function serviceOf(lines: readonly string[]): string | undefined {
  return lines.map((line) => /"service":"([a-z-]+)"/.exec(line)?.[1]).find((name) => name !== undefined);
}

export const logOf = (name: string, lines: readonly string[]): Place => ({
  name: `log of ${name}`,
  kind: 'log',
  entries: lines.map((line, index) => ({ label: `line ${index + 1}`, text: utf8(line) })),
});

/** Reads a page of metrics. @throws if it cannot be read: a page that was not searched must not pass for clean */
export async function metricsAt(name: string, managementUrl: string): Promise<Place> {
  const answer = await fetch(`${managementUrl}/metrics`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`the metrics of ${name} cannot be had: ${answer.status}`);
  return metricsOf(name, await answer.text());
}

export const metricsOf = (name: string, text: string): Place => ({
  name: `metrics of ${name}`,
  kind: 'metrics',
  entries: text.split('\n').map((line, index) => ({ label: `line ${index + 1}`, text: utf8(line) })),
});

/** Reads NAME.log and NAME.metrics, as the demo writes them. */
export function keptIn(folder: string): Place[] {
  return readdirSync(folder).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    if (file.endsWith('.log')) return [logOf(file.slice(0, -'.log'.length), text.split('\n').slice(0, -1))];
    return file.endsWith('.metrics') ? [metricsOf(file.slice(0, -'.metrics'.length), text)] : [];
  });
}

/** Reads every record of every topic under a prefix, with key, value and headers apart. A topic that does not exist is left out. */
export async function topicsOf(client: KafkaClient, topicPrefix: string): Promise<Place[]> {
  const cards: string = COMMAND_TOPICS.card.name;
  const commands = new Set(Object.values(COMMAND_TOPICS).map(({ name }) => name));
  const places = await Promise.all(
    Object.values(TOPICS).map(async ({ name }): Promise<Place[]> => {
      const records = await wholeTopic(client, topicPrefix, name).catch((error: unknown) => {
        if (error instanceof UnknownTopicError) return undefined;
        throw error;
      });
      const commandsOf = commands.has(name)
        ? { commandsOf: name === cards ? ('card' as const) : ('instalment' as const) }
        : {};
      return records === undefined ? [] : [{ name, kind: 'topic', entries: records.flatMap(entriesOf), ...commandsOf }];
    }),
  );
  return places.flat();
}

function entriesOf({ partition, offset, rawKey, value, headers }: ConsumedRecord): Entry[] {
  const part = (name: string, text: string) => ({ label: `${partition}/${offset} ${name}`, text });
  return [
    part('value', value?.toString('latin1') ?? ''),
    part('key', rawKey?.toString('latin1') ?? ''),
    part(
      'headers',
      Object.entries(headers)
        .map(([name, text]) => `${name}: ${utf8(text)}`)
        .join('\n'),
    ),
  ];
}
