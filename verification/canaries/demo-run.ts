import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { repositoryRoot } from '@tranche/testing';
import { ask } from '../ask.js';
import type { Infrastructure } from '../faults/infrastructure.js';
import type { IssuedTokens } from './canaries.js';
import { keptIn, logOf, metricsAt, topicsOf } from './places.js';
import type { PlantedFolder } from './planted-files.js';
import type { Remains } from './planted-run.js';
import { DEMO } from './search.js';
import { sendCardData } from './wrong-addresses.js';

const DEMO_MS = 300_000;
const STOP_MS = 40_000;
const ADDRESS = /^([a-z-]+) +(http:\/\/[0-9.:]+)(?: +(http:\/\/[0-9.:]+))?$/;
const PREFIX = /\bdemo-[0-9a-f]{8}\./g;

export interface DemoResult {
  readonly passed: number;
  readonly failed: number;
}

/** Plays the whole demo with planted secrets. While it runs, card data is sent to services that must not get it. */
export async function playDemo(
  { brokers, redisUrl, folder: place }: Infrastructure,
  { planted, merchantsFile, accountsFile }: PlantedFolder,
): Promise<Remains & { demo: DemoResult }> {
  const logs = join(place, 'demo-logs');
  mkdirSync(logs, { recursive: true });
  const options = ['--json', '--keep', '--merchants', merchantsFile, '--accounts', accountsFile, '--logs', logs];
  const child = spawn(process.execPath, ['tools/tranche.mjs', 'demo', ...options], {
    cwd: repositoryRoot(),
    env: { ...process.env, KAFKA_BROKERS: brokers, REDIS_URL: redisUrl, LOG_LEVEL: 'debug' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  const results: string[] = [];
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const staysUp = new Promise<void>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes('running until Ctrl-C')) resolve();
    });
    createInterface({ input: child.stdout }).on('line', (line) => void results.push(line));
  });
  const watchdog = setTimeout(() => child.kill('SIGKILL'), DEMO_MS);
  try {
    await Promise.race([staysUp, ended]);
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the demo ended early\n${said.slice(-20).join('\n')}`);
    const services = said.flatMap(addressesIn);
    const simulatorUrl = services.find(({ name }) => name === 'platform-simulator')?.url;
    if (simulatorUrl === undefined) throw new Error(`the demo named no simulator\n${said.slice(-20).join('\n')}`);
    const addressed = services.filter(({ name }) => name !== 'platform-simulator');
    const shopUrl = services.find(({ name }) => name === 'checkout-demo')?.url;
    if (shopUrl === undefined) throw new Error('the demo named no shop');
    const misplaced = await sendCardData(addressed, planted.card, shopUrl);
    const issued = await ask<IssuedTokens>(`${simulatorUrl}/simulator/issued-tokens`);
    // A service with two addresses lists its management address second.
    const management = new Map(addressed.map(({ name, url }) => [name, url]));
    const metrics = await Promise.all([...management].map(([name, url]) => metricsAt(name, url)));
    child.kill('SIGINT');
    setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
    await ended;
    const kept = keptIn(logs);
    const places = [
      ...kept,
      { ...logOf('', [...said, ...results]), name: DEMO },
      ...metrics,
      ...(await topicsOfDemo(brokers, kept, said)),
    ];
    return { places, issued, misplaced, faults: [], demo: resultIn(results) };
  } finally {
    clearTimeout(watchdog);
    child.kill('SIGINT');
    await ended;
  }
}

function addressesIn(line: string): { name: string; url: string }[] {
  const [, name = '', ...urls] = ADDRESS.exec(line.trim()) ?? [];
  return urls.filter((url) => url !== undefined).map((url) => ({ name, url }));
}

/** The demo chooses a new topic prefix for each run. */
async function topicsOfDemo(
  brokers: string,
  kept: Remains['places'],
  said: readonly string[],
): Promise<Remains['places']> {
  const texts = [...said, ...kept.flatMap(({ entries }) => entries.map(({ text }) => text))];
  const prefixes = new Set(texts.flatMap((text) => text.match(PREFIX) ?? []));
  const client = createKafkaClient({ brokers: brokers.split(','), clientId: 'canaries' }, silentLog);
  const topics = (await Promise.all([...prefixes].map((prefix) => topicsOf(client, prefix)))).flat();
  if (!topics.some(({ entries }) => entries.length > 0)) throw new Error("the demo's topics were not found");
  return topics;
}

function resultIn(lines: readonly string[]): DemoResult {
  const last = lines.findLast((line) => line.startsWith('{'));
  const { passed = 0, failed = 1 } = (last === undefined ? {} : JSON.parse(last)) as Partial<DemoResult>;
  return { passed, failed };
}
