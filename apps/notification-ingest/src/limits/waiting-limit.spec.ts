import { WaitingLimit } from '../notification.producer.js';

const open = () => {
  let end = () => undefined as void;
  const work = () => new Promise<void>((resolve) => (end = resolve));
  return { work, end: () => end() };
};

describe('what may wait', () => {
  it('is as many records as the limit, and one again when one is done', async () => {
    const limit = new WaitingLimit(2, 1_000);
    const first = open();
    const done = limit.enter(10, first.work);
    void limit.enter(10, open().work);
    expect(limit.enter(10, open().work)).toBeUndefined();
    expect([limit.records, limit.bytes]).toEqual([2, 20]);
    first.end();
    await done;
    expect([limit.records, limit.bytes]).toEqual([1, 10]);
    expect(limit.enter(10, open().work)).toBeDefined();
  });

  it('is as many bytes as the limit', () => {
    const limit = new WaitingLimit(100, 30);
    void limit.enter(20, open().work);
    expect(limit.enter(11, open().work)).toBeUndefined();
    expect(limit.enter(10, open().work)).toBeDefined();
  });

  it('takes one that is larger than the limit, alone', () => {
    const limit = new WaitingLimit(100, 30);
    expect(limit.enter(31, open().work)).toBeDefined();
    expect(limit.enter(1, open().work)).toBeUndefined();
  });

  it('frees the room of failed work and passes its error on', async () => {
    const limit = new WaitingLimit(1, 100);
    await expect(limit.enter(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect([limit.records, limit.bytes]).toEqual([0, 0]);
  });
});
