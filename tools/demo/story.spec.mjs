import { expectEqual, playAll } from './story.mjs';

it('a difference names what was expected and what was seen', () => {
  expect(expectEqual('calls', 1, 1)).toBeUndefined();
  expect(() => expectEqual('calls', 1, 2)).toThrow('calls: expected 1, saw 2');
});

it('plays all together, and those that are alone behind them, one by one', async () => {
  const log = [];
  const ends = {};
  const scenario = (name, isAlone = false) => ({
    ...{ name, isAlone, title: `title of ${name}` },
    async play() {
      log.push(`${name} begins`);
      await new Promise((end) => (ends[name] = end));
    },
  });
  const all = [scenario('lone', true), scenario('first'), scenario('second'), scenario('last', true)];
  const shop = { next: () => Promise.resolve(), arrivals: () => [] };
  const { signal } = new AbortController();
  const print = (line) => log.push(...(line.match(/title of \w+/) ?? []));
  const playing = playAll(all, { stage: { shop, trouble: [] }, signal, print });
  for (const name of ['second', 'first', 'lone', 'last']) {
    ends[name]();
    await new Promise(setImmediate);
  }
  const names = ['first', 'second', 'lone', 'last'];
  expect(await playing).toEqual(names.map((name) => ({ name, passed: true, events: [] })));
  expect(log).toEqual([
    ...['first begins', 'second begins', 'title of second', 'title of first'],
    ...['lone begins', 'title of lone', 'last begins', 'title of last'],
  ]);
});
