import { runQuarantine } from './run-quarantine.js';
import { startIngest, type Ingest } from './support.js';

describe('the command for the quarantine', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await startIngest();
  });
  afterAll(() => ingest?.close());

  it.each<[string, string[], Record<string, string>, number, string]>([
    ['without a command', [], {}, 2, 'npm run quarantine -- list'],
    [
      'of an unknown merchant',
      ['list', '--merchant', 'nobody'],
      {},
      2,
      'there is no merchant nobody in MERCHANTS_FILE: shop-fr, shop-es',
    ],
    ['with a setting that is wrong', ['list'], { MERCHANTS_FILE: '/nowhere' }, 78, 'MERCHANTS_FILE'],
    ['with the prefix of nobody', ['list'], { KAFKA_TOPIC_PREFIX: 'nobody.' }, 1, 'KAFKA_TOPIC_PREFIX wrong'],
  ])('%s it ends with a line that says why', async (_how, args, env, code, reason) => {
    const ended = await runQuarantine(ingest, args, env);
    expect(ended.err).toContain(reason);
    expect([ended.code, ended.out]).toEqual([code, '']);
  });
});
