import type { Bench, Context } from '../bench.js';
import { duelRows, takeTurns } from '../duel.js';
import type { Row } from '../report.js';
import { Stage } from '../stage.js';
import { round, startBareFastify, startIngest } from './contestants.js';

const LIVES = 2;
const ROUNDS_PER_LIFE = 2;
const COUNT = 30_000;
const FLOOR = 0.7;

/** What verifying and storing a notification costs in a service, beside the least that would do it. */
export const ingest: Bench = {
  name: 'ingest',
  about: 'notifications verified, stored with acks=all and answered OK, 64 connections, against a bare Fastify handler',
  parts: [
    { name: 'get', run: (context) => measured(context, 'GET') },
    { name: 'post', run: (context) => measured(context, 'POST') },
  ],
};

async function measured(context: Context, method: 'GET' | 'POST'): Promise<Row[]> {
  const count = context.commands ?? COUNT;
  const stage = await Stage.open(context);
  try {
    const taken = await takeTurns({
      starts: [
        () => startIngest(context, stage),
        () => startBareFastify('bare-fastify', 'event', context, stage),
        () => startBareFastify('bare-fastify-parameters', 'parameters', context, stage),
      ],
      round: (contestant) => round(stage, contestant, { count, method }),
      log: context.log,
      lives: LIVES,
      roundsPerLife: ROUNDS_PER_LIFE,
    });
    return duelRows(taken, method.toLowerCase(), 'notifications/s', { atLeast: FLOOR, times: 'bare-fastify' });
  } finally {
    await stage.remove();
  }
}
