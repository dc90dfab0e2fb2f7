import type { Merchant } from '@tranche/contracts';
import { createLogger, Metrics } from '@tranche/service-kit';
import type { BearerToken, BearerTokenClient } from './bearer-token.client.js';
import { PlatformCaller, type PlatformForm } from './platform-caller.service.js';
import type { PlatformClient } from './platform.client.js';

const merchant = { merchant: 'shop', authAccount: 'account' } as Merchant;
const token = (fingerprint: string): BearerToken => ({ accessToken: `token ${fingerprint}`, fingerprint });

function setUp(platform = {} as PlatformClient) {
  const world = { reported: [] as (string | undefined)[], next: () => Promise.resolve(token('first')) };
  const tokens = {
    token: (_account: string, refused?: string) => {
      world.reported.push(refused);
      return world.next();
    },
  } as unknown as BearerTokenClient;
  const log = createLogger({ name: 'test', level: 'silent' });
  return { world, caller: new PlatformCaller(platform, tokens, log, new Metrics('test')) };
}

describe('a refused token', () => {
  it('is reported until another one is given, and then no more', async () => {
    const { world, caller } = setUp();
    caller.noteRefused(merchant, token('first'));
    await caller.bearerFor(merchant);
    world.next = () => Promise.reject(new Error('away'));
    await expect(caller.bearerFor(merchant)).rejects.toThrow('away');
    world.next = () => Promise.resolve(token('second'));
    await caller.bearerFor(merchant);
    await caller.bearerFor(merchant);
    expect(world.reported).toEqual(['first', 'first', 'first', undefined]);
  });

  it('that a call was answered with 401 for is reported with the next question, and the one in its place is not', async () => {
    const answer = { kind: 'answered', status: 401, wwwAuthenticate: 'Bearer', body: '' };
    const { world, caller } = setUp({ urlCount: 1, post: () => Promise.resolve(answer) } as unknown as PlatformClient);
    const form: PlatformForm = { operation: 'capture', merchant, path: '/', body: '' };
    const bearer = (await caller.bearerFor(merchant)) as BearerToken;
    const result = await caller.send(form, { bearer, url: 0, maySend: () => true });
    expect(result).toMatchObject({ record: 'NOT_EXECUTED', reason: 'auth_refused' });
    world.next = () => Promise.resolve(token('second'));
    await caller.bearerFor(merchant);
    await caller.bearerFor(merchant);
    expect(world.reported).toEqual([undefined, 'first', undefined]);
  });

  it('that is refused while it is handed out is reported next', async () => {
    const { world, caller } = setUp();
    caller.noteRefused(merchant, token('first'));
    world.next = () => {
      caller.noteRefused(merchant, token('second'));
      return Promise.resolve(token('second'));
    };
    await caller.bearerFor(merchant);
    await caller.bearerFor(merchant);
    expect(world.reported).toEqual(['first', 'second']);
  });

  it('is reported although an older one is refused after it, by an answer that came late', async () => {
    const { world, caller } = setUp();
    await caller.bearerFor(merchant);
    caller.noteRefused(merchant, token('first'));
    world.next = () => Promise.resolve(token('second'));
    await caller.bearerFor(merchant);
    caller.noteRefused(merchant, token('second'));
    caller.noteRefused(merchant, token('first'));
    world.next = () => Promise.resolve(token('third'));
    await caller.bearerFor(merchant);
    caller.noteRefused(merchant, token('second'));
    await caller.bearerFor(merchant);
    expect(world.reported).toEqual([undefined, 'first', 'second', undefined]);
  });

  it('is known for each account, the latest eight', async () => {
    const { world, caller } = setUp();
    await caller.bearerFor(merchant);
    for (let n = 1; n <= 8; n++) caller.noteRefused(merchant, token(`other ${n}`));
    caller.noteRefused({ ...merchant, authAccount: 'another' }, token('first'));
    await caller.bearerFor(merchant);
    caller.noteRefused(merchant, token('first'));
    for (let n = 1; n <= 7; n++) caller.noteRefused(merchant, token(`other ${n}`));
    await caller.bearerFor(merchant);
    caller.noteRefused(merchant, token('other 8'));
    await caller.bearerFor(merchant);
    expect(world.reported).toEqual([undefined, undefined, 'first', undefined]);
  });
});
