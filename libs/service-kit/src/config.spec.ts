import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsIn, Max, Min } from 'class-validator';
import {
  ConfigError,
  describeConfig,
  Env,
  loadConfig,
  Part,
  readConfig,
  rereadFromFile,
  type ConfigFault,
} from './config.js';
import { Secret } from './secret.js';

class Settings {
  @Env('PORT', { doc: 'the port', default: 4000 })
  @Min(1)
  @Max(65_535)
  port: number;

  @Env('VERBOSE', { doc: 'whether it talks', default: false })
  isVerbose: boolean;

  @Env('HOST_URL', { doc: "the host's address" })
  hostUrl: URL;

  @Env('PLATFORMS', { doc: 'one or two addresses', items: 'url', default: ['http://a.example', 'http://b.example'] })
  platforms: URL[];

  @Env('TOPICS', { doc: 'names', default: ['a'] })
  topics: string[];

  @Env('COLOUR', { doc: 'red or blue', default: 'red' })
  @IsIn(['red', 'blue'])
  colour: string;

  @Env('API_SECRET', { doc: 'the key of the API' })
  apiSecret: Secret;

  @Env('NICKNAME', { doc: 'a name', optional: true })
  nickname?: string;
}

const sound = { HOST_URL: 'https://host.example/x', API_SECRET: 's3cret' };

function faultsOf(env: Record<string, string | undefined>, Class: new () => object = Settings): readonly ConfigFault[] {
  return readConfig(Class, env).faults;
}

describe('configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads each property as its type', () => {
    const settings = loadConfig(Settings, {
      ...sound,
      PORT: '80',
      VERBOSE: '1',
      PLATFORMS: 'http://x.example, https://y.example',
      TOPICS: 'a, b',
    });
    expect(settings).toMatchObject({
      port: 80,
      isVerbose: true,
      topics: ['a', 'b'],
      colour: 'red',
      nickname: undefined,
    });
    expect(settings.hostUrl.href).toBe('https://host.example/x');
    expect(settings.platforms.map(({ host }) => host)).toEqual(['x.example', 'y.example']);
    expect(settings.apiSecret.reveal()).toBe('s3cret');
  });

  it('takes defaults, and an empty variable for none', () => {
    const settings = loadConfig(Settings, { ...sound, PORT: '', VERBOSE: '' });
    expect(settings).toMatchObject({ port: 4000, isVerbose: false });
    expect(settings.platforms).toHaveLength(2);
  });

  it('reports every fault at once, by variable', () => {
    const faults = faultsOf({ PORT: '70000', VERBOSE: 'yes', PLATFORMS: 'nowhere', TOPICS: 'a,,b', COLOUR: 'green' });
    expect(faults.map(({ name }) => name).sort()).toEqual([
      'API_SECRET',
      'COLOUR',
      'HOST_URL',
      'PLATFORMS',
      'PORT',
      'TOPICS',
      'VERBOSE',
    ]);
    const error = new ConfigError(faults);
    expect(error.message.split('\n')).toHaveLength(7);
  });

  it.each([
    ['PORT', '0', false],
    ['PORT', '1', true],
    ['PORT', '65535', true],
    ['PORT', '65536', false],
    ['PORT', '1.5', false],
    ['PORT', '0x10', false],
    ['PORT', ' 1', false],
    ['PORT', '1e3', false],
    ['VERBOSE', 'true', true],
    ['VERBOSE', 'false', true],
    ['VERBOSE', 'TRUE', false],
    ['HOST_URL', 'http://h', true],
    ['HOST_URL', 'h:80', false],
    ['HOST_URL', 'ftp://h', false],
    ['COLOUR', 'blue', true],
    ['COLOUR', 'Blue', false],
  ])('%s=%s is sound: %s', (name, value, isSound) => {
    expect(faultsOf({ ...sound, [name]: value })).toHaveLength(isSound ? 0 : 1);
  });

  it('says what is wrong and what to set, and never repeats a value', () => {
    const [missing] = faultsOf({ HOST_URL: sound.HOST_URL });
    expect(missing?.message).toBe(
      'is not set. Set it to the key of the API, or API_SECRET_FILE to a file that holds it',
    );
    expect(JSON.stringify(faultsOf({ ...sound, HOST_URL: 'canary-value', PORT: 'canary-value' }))).not.toContain(
      'canary-value',
    );
  });

  describe('secrets from files', () => {
    it('takes the content without its last line break only', () => {
      const { apiSecret } = loadConfig(Settings, {
        HOST_URL: sound.HOST_URL,
        API_SECRET_FILE: file('secret', '\ufeff two\nlines \r\n'),
      });
      expect(apiSecret.reveal()).toBe(' two\nlines ');
    });

    it.each([
      ['both are set', () => ({ API_SECRET: 'x', API_SECRET_FILE: file('both', 'y') }), /set twice/],
      ['the file is not there', () => ({ API_SECRET_FILE: join(folder, 'absent') }), /cannot be read \(ENOENT: .*\)/],
      ['it is a folder', () => ({ API_SECRET_FILE: folder }), /cannot be read \(EISDIR: .*\)/],
      ['the file is empty', () => ({ API_SECRET_FILE: file('empty', '\n') }), /empty file/],
    ])('is a fault when %s', (_, env, message) => {
      const faults = faultsOf({ HOST_URL: sound.HOST_URL, ...env() });
      expect(faults).toHaveLength(1);
      expect(faults[0]?.message).toMatch(message);
    });

    it('is read again from its file, whose content may have been replaced; what the variable itself holds is not', () => {
      const API_SECRET_FILE = file('rotated', 'old');
      const config = loadConfig(Settings, { HOST_URL: sound.HOST_URL, API_SECRET_FILE });
      const again = rereadFromFile(config, 'apiSecret');
      writeFileSync(API_SECRET_FILE, 'new\n');
      expect(again?.().reveal()).toBe('new');
      writeFileSync(API_SECRET_FILE, '');
      expect(() => again?.()).toThrow('API_SECRET_FILE names an empty file');
      expect(rereadFromFile(loadConfig(Settings, { ...sound, API_SECRET: 'x' }), 'apiSecret')).toBeUndefined();
    });

    it('does not read files for what is no secret', () => {
      expect(faultsOf({ API_SECRET: 'x', HOST_URL_FILE: file('url', 'http://h') })[0]?.name).toBe('HOST_URL');
    });
  });

  describe('files and readers', () => {
    class WithFile {
      @Env('LIST_FILE', {
        doc: 'a list',
        file: true,
        read: (path) => {
          if (path.endsWith('bad'))
            throw Object.assign(new Error('bad'), {
              faults: [
                { path: '[0].a', message: 'is wrong' },
                { path: '', message: 'is all wrong' },
              ],
            });
          return path;
        },
      })
      list: string;
    }

    it('makes the path absolute and hands it to the reader', () => {
      expect(loadConfig(WithFile, { LIST_FILE: file('list', '') }).list).toBe(join(folder, 'list'));
    });

    it('reports each fault of a reader', () => {
      expect(faultsOf({ LIST_FILE: file('bad', '') }, WithFile)).toEqual([
        { name: 'LIST_FILE', message: '[0].a: is wrong' },
        { name: 'LIST_FILE', message: 'is all wrong' },
      ]);
    });

    it.each([['absent'], ['.']])('refuses %s', (name) => {
      expect(faultsOf({ LIST_FILE: join(folder, name) }, WithFile)).toHaveLength(1);
    });
  });

  it('asks a class that checks itself, once its settings are sound one by one', () => {
    class Pair {
      @Env('A', { doc: 'a' }) a: string;
      @Env('B', { doc: 'b' }) b: string;
      check = () => (this.a === this.b || !this.b ? [{ name: 'A', message: 'must differ from B' }] : []);
    }
    expect(faultsOf({ A: 'x', B: 'x' }, Pair)).toEqual([{ name: 'A', message: 'must differ from B' }]);
    expect(faultsOf({ A: 'x', B: 'y' }, Pair)).toEqual([]);
    expect(faultsOf({ A: 'x' }, Pair)).toHaveLength(1);
  });

  it('is composed of parts: each holds its own settings, and all faults come at once by their names', () => {
    class Inner {
      @Env('DEPTH', { doc: 'how deep', default: 3 })
      @Max(9)
      depth: number;
    }
    class Middle {
      @Env('WIDTH', { doc: 'how wide' }) width: number;
      @Part() inner: Inner;
    }
    class Outer {
      @Env('NAME', { doc: 'a name' }) name: string;
      @Part() middle: Middle;
    }
    expect(loadConfig(Outer, { NAME: 'x', WIDTH: '2' })).toEqual({
      name: 'x',
      middle: { width: 2, inner: { depth: 3 } },
    });
    expect(faultsOf({ WIDTH: 'a', DEPTH: '10' }, Outer).map(({ name, message }) => `${name} ${message}`)).toEqual([
      expect.stringContaining('NAME is not set'),
      expect.stringContaining('WIDTH is not a whole number'),
      'DEPTH must not be greater than 9',
    ]);
    expect(describeConfig(Outer).map(({ name }) => name)).toEqual(['NAME', 'WIDTH', 'DEPTH']);
  });

  it('lists its variables', () => {
    expect(describeConfig(Settings).map(({ name, required, secret }) => [name, required, secret])).toEqual([
      ['PORT', false, false],
      ['VERBOSE', false, false],
      ['HOST_URL', true, false],
      ['PLATFORMS', false, false],
      ['TOPICS', false, false],
      ['COLOUR', false, false],
      ['API_SECRET', true, true],
      ['NICKNAME', false, false],
    ]);
    expect(describeConfig(Settings)[3]).toMatchObject({
      default: 'http://a.example,http://b.example',
      property: 'platforms',
    });
  });
});
