import { setTimeout as delay } from 'node:timers/promises';
import { decodeCloudEvent, TOPICS, type PaymentEvent } from '@tranche/contracts';
import { LogFollower } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { waitFor } from '@tranche/testing';
import { percentile } from '../figures.js';
import type { Context } from './bench.js';
import { commandId } from './commands.js';
import { row, type Row } from './report.js';
import { Stage, startGateway, startPlatform } from './stage.js';

const PER_SECOND = 100;
const WARM_UP_MS = 10_000;
const MEASURED_MS = 30_000;
/** Every command must have its event within this time after the last command: a missing latency would be the longest one. */
const LAST_EVENT_MS = 10_000;

/** Measures from Kafka's acknowledgement of a command to its event at a consumer, at a pace that leaves the machine idle. */
export async function ownLatency(context: Context): Promise<Row[]> {
  const total = context.commands ?? ((WARM_UP_MS + MEASURED_MS) / 1000) * PER_SECOND;
  const platform = await startPlatform('simulator', '0');
  const stage = await Stage.open(context);
  const gateway = await startGateway({ ...context, stage, platform, inFlight: 256 });
  const appendedMs = new Map<string, number>();
  /** By command: an event that is published again is not measured again. */
  const latencies = new Map<string, number>();
  const { client, prefix: topicPrefix } = stage;
  const follower = new LogFollower({ client, topic: TOPICS.events.name, topicPrefix, log: silentLog });
  try {
    await follower.start({
      onRecords: (_partition, records) => {
        const nowMs = performance.now();
        for (const record of records) {
          const { commandId: id = '' } = decodeCloudEvent(record).event?.data as PaymentEvent;
          const sentMs = appendedMs.get(id);
          if (sentMs !== undefined && !latencies.has(id)) latencies.set(id, Math.max(0, nowMs - sentMs));
        }
      },
    });
    context.log(`own latency: ${PER_SECOND} commands/s for ${total / PER_SECOND} s`);
    const begunMs = performance.now();
    const appends: Promise<void>[] = [];
    for (let n = 0; n < total; n++) {
      await delay(begunMs + (n * 1000) / PER_SECOND - performance.now());
      appendedMs.set(commandId(n), performance.now()); // an event may overtake the acknowledgement
      appends.push(stage.append(n).then(() => void appendedMs.set(commandId(n), performance.now())));
    }
    await Promise.all(appends);
    await waitFor(() => latencies.size === total, { timeoutMs: LAST_EVENT_MS, what: 'each command to have an event' });
    const warmUp = Math.min((WARM_UP_MS / 1000) * PER_SECOND, Math.floor(total / 4));
    const measured = Array.from({ length: total - warmUp }, (_, n) => latencies.get(commandId(warmUp + n))!);
    const details = { count: measured.length, p90: percentile(measured, 0.9), p999: percentile(measured, 0.999) };
    return [
      row({ name: 'own-latency-p50', unit: 'ms', ours: percentile(measured, 0.5), target: { atMost: 15 }, details }),
      row({ name: 'own-latency-p99', unit: 'ms', ours: percentile(measured, 0.99), target: { atMost: 40 } }),
    ];
  } finally {
    await follower.stop();
    await gateway.stop();
    await platform.stop();
    await stage.remove();
  }
}
