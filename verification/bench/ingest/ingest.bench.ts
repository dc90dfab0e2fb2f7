import type { Bench, Context } from '../bench.js';
import { duelRows, takeTurns } from '../duel.js';
import type { Row } from '../report.js';
import { Stage } from '../stage.js';
import { round, startIngest, startPeer } from './contestants.js';

const LIVES = 2;
const ROUNDS_PER_LIFE = 2;
const COUNT = 30_000;
const FLOOR = 0.8;

export const ingest: Bench = {
  name: 'ingest',
  about:
    'notifications verified, stored with acks=all and answered OK, 64 connections, against an ordinary Nest controller on Fastify',
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
        () => startPeer({ name: 'nest-fastify', peer: 'nest-webhook' }, context, stage),
        () => startPeer({ name: 'bare-fastify', peer: 'bare-fastify' }, context, stage),
        () =>
          startPeer({ name: 'bare-fastify-parameters', peer: 'bare-fastify', record: 'parameters' }, context, stage),
      ],
      round: (contestant) => round(stage, contestant, { count, method }),
      log: context.log,
      lives: LIVES,
      roundsPerLife: ROUNDS_PER_LIFE,
    });
    return duelRows(taken, method.toLowerCase(), 'notifications/s', { atLeast: FLOOR, times: 'nest-fastify' });
  } finally {
    await stage.remove();
  }
}
