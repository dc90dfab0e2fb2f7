import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tranche } from './tranche.js';

const read = (file: string): string => readFileSync(join(__dirname, '../../..', file), 'utf8');
const runbook = read('docs/operate/runbook.md');

/** The words of a command in a shell; a comment ends it. A person puts a value for '<its description>', which is refused as it stands. */
const wordsOf = (line: string): string[] =>
  [
    ...line
      .replace(/\s#.*$/, '')
      .replace(/'<[^>']+>'/g, 'T0000000042')
      .matchAll(/'([^']*)'|(\S+)/g),
  ].map(([, quoted, plain]) => quoted ?? plain ?? '');

const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^[ \t]*```sh\n([\s\S]*?)^[ \t]*```/gm)]
    .flatMap(([, block = '']) => block.split('\n'))
    .flatMap((line) => /(?:^|\s)tranche ([a-z].*)$/.exec(line)?.[1] ?? [])
    .filter((line) => !line.startsWith('-'));

const ofRunbook = commandsIn(runbook);
const ofAlerts = [...read('deploy/helm/tranche/alerts.yaml').matchAll(/: (?:by when to act: )?tranche ((?:attention|controls)[^'\n;]*)/gi)]
  .map(([, command = '']) => command.replace(/\{\{ \$labels\.merchant \}\}/, 'shop-fr')); // prettier-ignore

it('commands are found in the chapters and in the alerts', () => {
  expect(ofRunbook.length).toBeGreaterThan(25);
  expect(ofAlerts.length).toBeGreaterThan(3);
});

it.each([...new Set([...ofRunbook, ...ofAlerts])])('tranche %s is a command, with these arguments', async (line) => {
  const isReached = new Error('its arguments are right');
  const { program } = tranche(() => undefined);
  program.hook('preAction', () => {
    throw isReached;
  });
  await expect(program.parseAsync(['node', 'tranche', ...wordsOf(line)])).rejects.toBe(isReached);
});

it('no chapter asks for curl', () => expect(runbook).not.toMatch(/\bcurl\b/));
