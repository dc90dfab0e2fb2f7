import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { MESSAGES, TOPICS } from '../src/index.js';

const text = readFileSync(join(__dirname, '../asyncapi.json'), 'utf8');
const { channels, components } = JSON.parse(text) as {
  channels: Record<string, { address: string; bindings: { kafka: { partitions: number } }; messages: object }>;
  components: { messages: Record<string, { headers: object; examples?: object[] }> };
};
/** `DiagnosticSeverity.Error`. */
const ERROR = 0;

it('the AsyncAPI document is valid for the official parser, its examples too', async () => {
  const { document, diagnostics } = await new Parser().parse(text);
  expect(diagnostics.filter(({ severity }) => Number(severity) === ERROR)).toEqual([]);
  expect(document?.channels().all()).toHaveLength(Object.keys(TOPICS).length);
});

it('the AsyncAPI document has every topic, with its partitions, and every message type on it', () => {
  expect(Object.values(channels).map(({ address, bindings }) => [address, bindings.kafka.partitions])).toEqual(
    Object.values(TOPICS).map(({ name, partitions }) => [name, partitions]),
  );
  for (const { topic, type } of MESSAGES) {
    expect(Object.keys(channels[topic]?.messages ?? {})).toContain(type);
    expect(components.messages[`${topic}.${type}`]?.examples).toHaveLength(1);
  }
});
