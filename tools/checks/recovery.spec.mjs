import { recoveryFaults } from './recovery.mjs';

const texts = {
  'a.spec.ts': "it('comes back by itself', () => {});\nit.skip('is not played', () => {});\n",
  'scenarios.ts': "const one = { name: 'redis-killed' }; const other = `clock-${ahead}`;",
};
const faults = (...chapters) =>
  recoveryFaults('r.md', `# R\n\n## Disaster recovery\n\n${chapters.join('\n')}\n## Next\n`, new Set(Object.keys(texts)), (file) => texts[file]); // prettier-ignore
const chapter = (test) => `### Redis is lost\n\n- **Signs.** It is away.\n- **Test.** ${test}\n`;

it.each([
  ['a test', '`a.spec.ts` "comes back by itself"'],
  ['a title that is broken into two lines', '`a.spec.ts` "comes back\n  by itself"'],
  ['a scenario', '`scenarios.ts` "redis-killed": `npm run faults -- --only redis-killed`'],
  ['the beginning of a name that is made', '`scenarios.ts` "clock-"'],
])('a chapter may name %s', (_, test) => expect(faults(chapter(test))).toEqual([]));

it.each([
  ['no test', 'none yet', 'names no test'],
  ['a file that is not there', '`gone.spec.ts` "comes back by itself"', 'gone.spec.ts does not exist'],
  ['a file alone', '`a.spec.ts`', 'a.spec.ts is named without a test of it'],
  ['another title', '`a.spec.ts` "stays away"', 'a.spec.ts has no test "stays away"'],
  ['a test that is not run', '`a.spec.ts` "is not played"', 'a.spec.ts has no test "is not played"'],
  ['a second test that is not there', '`a.spec.ts` "comes back", "stays away"', 'a.spec.ts has no test "stays away"'],
  ['another scenario', '`scenarios.ts` "redis"', 'scenarios.ts has no test "redis"'],
])('a chapter that names %s is a fault', (_, test, fault) => {
  expect(faults(chapter(test))).toEqual([`r.md, "Redis is lost": ${fault}`]);
});

it('a chapter without a line for its test is a fault, beside others that have one', () => {
  const untested = '### A region is gone\n\n- **Signs.** Silence.\n';
  expect(faults(chapter('`a.spec.ts` "comes back"'), untested)).toEqual(['r.md, "A region is gone": names no test']);
});

it('a document without such chapters is a fault', () => {
  expect(faults()).toEqual(['r.md: has no chapters under "Disaster recovery"']);
});
