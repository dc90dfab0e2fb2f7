import { playAll } from './play.mjs';

/** Scenarios that end when the test says so. */
function scenarios(kinds) {
  const log = [];
  const ends = {};
  const all = kinds.map(([name, kind]) => ({
    name,
    title: `title of ${name}`,
    ...kind,
    async play({ story }) {
      story('partner-a', name);
      log.push(`${name} begins`);
      await new Promise((end) => (ends[name] = end));
      log.push(`${name} ends`);
    },
  }));
  const shop = { next: () => Promise.resolve(), arrivals: () => [] };
  const playing = playAll(all, {
    stage: { shop, trouble: [] },
    signal: new AbortController().signal,
    print: (line) => log.push(...(line.match(/title of \w+/) ?? [])),
  });
  const end = async (name) => {
    ends[name]();
    await new Promise(setImmediate);
  };
  return { log, playing, end };
}

it('plays one beside the others, and prints all in their order', async () => {
  const { log, playing, end } = scenarios([['first'], ['second'], ['slow', { isBeside: true }], ['last']]);
  for (const name of ['slow', 'first', 'second', 'last']) await end(name);
  expect((await playing).map(({ name, passed }) => [name, passed])).toEqual([
    ['first', true],
    ['second', true],
    ['slow', true],
    ['last', true],
  ]);
  expect(log.filter((line) => line.endsWith('begins'))[0]).toBe('slow begins');
  expect(log.filter((line) => line.startsWith('title'))).toEqual(
    ['first', 'second', 'slow', 'last'].map((name) => `title of ${name}`),
  );
});

it('plays nothing beside one that is alone, and prints what ended meanwhile behind it', async () => {
  const { log, playing, end } = scenarios([['first'], ['alone', { isAlone: true }], ['slow', { isBeside: true }]]);
  await end('first');
  expect(log).not.toContain('alone begins');
  await end('slow');
  await end('alone');
  await playing;
  expect(log).toEqual([
    'slow begins',
    'first begins',
    'first ends',
    'title of first',
    'slow ends',
    'alone begins',
    'alone ends',
    'title of alone',
    'title of slow',
  ]);
});
