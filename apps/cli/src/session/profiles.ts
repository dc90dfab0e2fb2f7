import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CannotTellError, SettingsError } from '../exit.js';

export interface Profile {
  url: string;
  token: string;
  /** Money moves only after the order's id was typed again. */
  production: boolean;
}

interface Profiles {
  current?: string;
  profiles: Record<string, Profile>;
}

const configFolder = (): string => join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'tranche');
export const profilesFile = (): string => join(configFolder(), 'profiles.json');

/** @throws SettingsError where others may read the file, or it holds no profiles */
export function readProfiles(): Profiles {
  const file = profilesFile();
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return { profiles: {} };
  if ((stat.mode & 0o077) !== 0)
    throw new SettingsError(`${file} holds tokens, and others may read it: chmod 600 ${file}`);
  try {
    const { current, profiles } = JSON.parse(readFileSync(file, 'utf8')) as Profiles;
    const isProfile = ({ url, token, production }: Profile) =>
      URL.canParse(url) && typeof token === 'string' && typeof production === 'boolean';
    if (!Object.values(profiles).every(isProfile)) throw new Error('a profile lacks url, token or production');
    return { ...(current !== undefined && { current }), profiles };
  } catch (cause) {
    throw new SettingsError(`${file} can not be read: mend or remove it`, { cause });
  }
}

export function writeProfiles(profiles: Profiles): void {
  writeOwn(profilesFile(), JSON.stringify(profiles, undefined, 2));
}

/** Writes a file that only its owner reads, as a whole. @throws CannotTellError */
export function writeOwn(file: string, text: string): void {
  const fresh = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, `${text}\n`, { mode: 0o600 });
    chmodSync(fresh, 0o600);
    renameSync(fresh, file);
  } catch (cause) {
    throw new CannotTellError(`${file} can not be written: set TRANCHE_TOKEN and OPERATIONS_URL instead of a profile`, {
      cause,
    });
  }
}
