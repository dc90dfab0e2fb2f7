import { readArguments, type Bench } from './bench.js';

const part = (name: string) => ({ name, run: () => Promise.resolve([]) });
const profiles = [part('profile-slow'), part('profile-paced')];
const gateway: Bench = { name: 'gateway', parts: [part('pace')], profiles };
const journal: Bench = { name: 'journal', parts: [part('concurrent-1'), part('concurrent-64')] };
const read = (...args: string[]) => readArguments(args, [gateway, journal]);

it.each([
  [['nix'], 'There is no bench nix, but gateway, journal'],
  [['journal', '--only', 'nix'], 'There is no part nix of journal. There is:\n  concurrent-1\n  concurrent-64'],
  [['journal', '--profile'], '--profile goes with gateway, not with journal'],
  [['gateway', '--picture', 'a.svg'], '--picture needs at least two parts latency-bound-N'],
])('%j names what there is', (args, fault) => {
  expect(() => read(...args)).toThrow(new Error(fault));
});

it.each([
  [['journal', '--markdown', 'a.md', '--turns', '1'], { markdown: 'a.md', numbers: { turns: 1 } }],
  [['journal'], { parts: journal.parts, numbers: {} }],
  [['journal', '--only', 'concurrent-6'], { parts: [journal.parts[1]], strict: false }],
  [['gateway', '--profile', '--only', 'profile-slow'], { parts: [profiles[0]] }],
  [['journal', '--commands', '20', '--json', '--strict'], { numbers: { commands: 20 }, json: true, strict: true }],
])('%j chooses', (args, chosen) => {
  expect(read(...args)).toMatchObject({ name: args[0], ...chosen });
});
