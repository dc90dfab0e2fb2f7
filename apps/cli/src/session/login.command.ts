import { InvalidArgumentError, type Command } from 'commander';
import type { Me } from '../api/operations.js';
import { EXIT, UsageError } from '../exit.js';
import { outputOption, printOne, printRows, say, type Format } from '../output/output.js';
import type { Exit } from '../program.js';
import { Api } from './api.js';
import { secret } from './ask.js';
import { profilesFile, readProfiles, writeProfiles } from './profiles.js';
import { Session } from './session.js';

/** `tranche login`, `whoami` and `profile`: who you are, and where. */
export function addLoginCommands(program: Command, exit: Exit): void {
  program
    .command('login')
    .description('keeps address and token in a profile that only you can read; the token is typed without being shown, or read from stdin')
    .option('--profile <name>', 'its name', profileName, 'default')
    .option('--url <url>', 'base URL of operations', baseUrl, new URL('http://127.0.0.1:4060'))
    .option('--production', 'money moves only after the order was typed again')
    .action(async ({ profile, url, production }: { profile: string; url: URL; production?: boolean }) => {
      const token = await secret(`key or token for ${url.origin}: `);
      const api = new Api({ url, from: '--url' }, token);
      const me = await api.get<Me>('/v1/me');
      const all = readProfiles();
      const entry = { url: url.href, token, production: production === true };
      writeProfiles({ current: profile, profiles: { ...all.profiles, [profile]: entry } });
      say(`${meText(me)}; profile ${profile} is in use (${profilesFile()})`);
      exit(EXIT.done);
    }); // prettier-ignore

  const whoami = program.command('whoami').description('says whom the key or token names, and what that person may do');
  outputOption(whoami).action(async ({ output }: { output: Format }) => {
    const session = Session.open();
    const me = await session.api.get<Me>('/v1/me');
    const { api, profile, tokenFrom, isProduction } = session;
    printOne(output, [
      ['person', me.person],
      ['role', me.role],
      ['merchants', me.merchants?.join(', ') ?? 'all'],
      ['decisions of two', me.mayDecide ? 'may take part' : 'may not take part: the entry of the key names no person'],
      ['operations', `${api.address.url.origin} (${api.address.from})`],
      ['token', `of ${tokenFrom}`],
      ['profile', `${profile ?? 'none'}${isProduction ? ', production' : ''}`],
    ], me);
    exit(EXIT.done);
  }); // prettier-ignore

  const profile = program.command('profile').description('profiles of `tranche login`');
  outputOption(profile.command('list').description('lists them')).action(({ output }: { output: Format }) => {
    const { current, profiles } = readProfiles();
    const rows = Object.entries(profiles).map(([name, { url, production }]) => ({ name, url, production, inUse: name === current }));
    type Row = (typeof rows)[number];
    printRows(output, [
      { name: 'profile', of: (row: Row) => row.name },
      { name: 'operations', of: (row: Row) => row.url },
      { name: 'production', of: (row: Row) => (row.production ? 'yes' : 'no') },
      { name: 'in use', of: (row: Row) => (row.inUse ? 'yes' : 'no') },
    ], rows);
    if (rows.length === 0) say('there is no profile: make one with `tranche login`');
    exit(EXIT.done);
  }); // prettier-ignore
  const known = (name: string) => {
    const all = readProfiles();
    if (all.profiles[name] === undefined)
      throw new UsageError(`there is no profile ${name}; there is: ${Object.keys(all.profiles).join(', ') || 'none'}`);
    return all;
  };
  profile
    .command('use')
    .description('takes another one')
    .argument('<name>', 'its name', profileName)
    .action((name: string) => {
      writeProfiles({ ...known(name), current: name });
      exit(EXIT.done);
    });
  profile
    .command('remove')
    .description('forgets one, with its token')
    .argument('<name>', 'its name', profileName)
    .action((name: string) => {
      const { current, profiles } = known(name);
      const { [name]: _gone, ...left } = profiles;
      writeProfiles({ ...(current !== undefined && current !== name && { current }), profiles: left });
      exit(EXIT.done);
    });
} // prettier-ignore

export const meText = ({ person, role, merchants }: Me): string =>
  `${person}, ${role} of ${merchants === undefined ? 'all merchants' : merchants.join(', ')}`;

function profileName(text: string): string {
  if (!/^[\w.-]{1,64}$/.test(text) || text === '__proto__') throw new InvalidArgumentError('It must be 1 to 64 letters, digits, dots and dashes.');
  return text;
} // prettier-ignore

function baseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('It must be http://host:port or https://host.');
  return url;
} // prettier-ignore
