import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS } from '@tranche/contracts';
import { median } from '../../figures.js';
import type { Bench, Context } from '../bench.js';
import { rssOf } from '../cpu.js';
import { rateOf, type Rate } from '../rate.js';
import { row, type Row } from '../report.js';
import { Stage, startGateway, startPlatform, type Gateway } from '../stage.js';

const IN_FLIGHT = 256;
const MIB = 1024 * 1024;
const TIME_BOX_MS = 280_000;
/** In the steady part, the topic holds this many commands that the gateway has not handled yet. */
const AHEAD = 2_000;
/** The last fifth may need this many times the memory of the second: V8's garbage collection is not regular. */
const FLAT = 1.15;

/** Measures memory over many commands and over a long backlog: neither may make it grow. */
export const memory: Bench = {
  name: 'memory',
  about: 'RSS of one gateway over 200,000 commands and over a backlog of 100,000, and processor time per command',
  parts: [
    { name: 'steady', run: steady },
    { name: 'backlog', run: backlog },
  ],
};

async function steady(context: Context): Promise<Row[]> {
  const total = context.commands ?? 200_000;
  return measured(context, 'steady', total, async (stage, start) => {
    const gateway = await start();
    let sent = 0;
    const feed = async (done: number) => {
      const to = Math.min(total, done + AHEAD);
      if (to <= sent) return;
      const from = sent;
      sent = to;
      await stage.fill(from, to);
    };
    return { gateway, feed };
  });
}

async function backlog(context: Context): Promise<Row[]> {
  const total = context.commands ?? 100_000;
  return measured(context, 'backlog', total, async (stage, start) => {
    await stage.fill(0, total);
    context.log(`backlog: ${total} commands wait`);
    return { gateway: await start() };
  });
}

interface Begun {
  gateway: Gateway;
  feed?: (done: number) => Promise<void>;
}

type Begin = (stage: Stage, start: () => Promise<Gateway>) => Promise<Begun>;

async function measured(context: Context, name: string, total: number, begin: Begin): Promise<Row[]> {
  const platform = await startPlatform('lean', '0');
  const stage = await Stage.open(context);
  let running: Gateway | undefined;
  try {
    const { gateway, feed } = await begin(stage, () =>
      startGateway({ ...context, stage, platform, inFlight: IN_FLIGHT }),
    );
    running = gateway;
    const samples: { done: number; mib: number }[] = [];
    let done = 0;
    const rate = await rateOf({
      async done() {
        gateway.assertRunning();
        done = await stage.records(TOPICS.events);
        await feed?.(done);
        return done;
      },
      total,
      timeBoxMs: TIME_BOX_MS,
      everyMs: feed ? 100 : 500,
      processes: { gateway: gateway.pid, platform: platform.pid },
      onSample: () => samples.push({ done, mib: rssOf(gateway.pid) / MIB }),
    });
    await delay(2_000);
    const atRest = rssOf(gateway.pid) / MIB;
    return rowsOf(name, samples, rate, { total: samples.at(-1)?.done ?? 0, atRest });
  } finally {
    await running?.stop();
    await platform.stop();
    await stage.remove();
  }
}

function rowsOf(
  name: string,
  samples: { done: number; mib: number }[],
  rate: Rate,
  seen: { total: number; atRest: number },
): Row[] {
  const fifth = (nth: number) =>
    samples
      .filter(({ done }) => done > (seen.total * (nth - 1)) / 5 && done <= (seen.total * nth) / 5)
      .map(({ mib }) => mib);
  const details = {
    commands: seen.total,
    thirdFifth: median(fifth(3)),
    peak: Math.max(...samples.map(({ mib }) => mib)),
    twoSecondsAfter: seen.atRest,
  };
  return [
    row({
      name: `${name}-rss`,
      unit: 'MiB in the last fifth',
      ours: median(fifth(5)),
      peers: { 'second-fifth': median(fifth(2)) },
      target: { atMost: FLAT, times: 'second-fifth' },
      details,
    }),
    row({
      name: `${name}-cpu`,
      unit: 'ms of processor time per command',
      ours: rate.cpuMs.gateway ?? 0,
      details: { commandsPerSecond: rate.perSecond, restCpuMs: rate.cpuMs.rest ?? 0 },
    }),
  ];
}
