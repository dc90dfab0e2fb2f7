import { randomBytes } from 'node:crypto';
import type { Bench, Context } from '../bench.js';
import { duelRows, takeTurns } from '../duel.js';
import type { Row } from '../report.js';
import { keyAnswer, round, startConstant, startCseTokenService, startKeyProvider } from './contestants.js';
import { removeTraces } from './traces.js';

const LIVES = 5;
const ROUNDS_PER_LIFE = 2;
const COUNT = 60_000;
const FLOOR = 0.8;

export const keys: Bench = {
  name: 'keys',
  about:
    'encryption keys handed to pages, 64 connections, against an ordinary Nest controller on Fastify with a constant answer',
  parts: [{ name: 'held', run: held }],
};

async function held(context: Context): Promise<Row[]> {
  const count = context.commands ?? COUNT;
  const prefix = `bench-${randomBytes(4).toString('hex')}.`;
  const answer = keyAnswer();
  const provider = await startKeyProvider(answer);
  try {
    const taken = await takeTurns({
      starts: [
        () => startCseTokenService(context, provider.url, prefix),
        ([ours]) => startConstant('nest-constant', ours!),
        ([ours]) => startConstant('bare-constant', ours!),
      ],
      round: (contestant) => round(contestant, { count, answer }),
      log: context.log,
      lives: LIVES,
      roundsPerLife: ROUNDS_PER_LIFE,
    });
    return duelRows(taken, 'held', 'keys/s', { atLeast: FLOOR, times: 'nest-constant' });
  } finally {
    provider.server.close();
    await removeTraces(context, prefix);
  }
}
