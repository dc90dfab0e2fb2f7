import { brokers, jsonFile, program, url, version, wholeNumber } from './values.mjs';

export const INFRASTRUCTURE = {
  KAFKA_BROKERS: { help: 'a Kafka that is there already: host:port, or several with commas', check: brokers },
  REDIS_URL: { help: 'a Redis that is there already: redis://host:port', check: url('redis:', 'rediss:') },
  KAFKA_VERSION: {
    help: 'of the Kafka that is started, through Maven or as an image (default: 4.1.1)',
    check: version,
  },
  REDIS_SERVER: {
    help: 'the program of the Redis that is started without Docker, such as valkey-server (default: redis-server)',
    check: program,
  },
};

export const DATABASE = {
  DATABASE_URL: {
    help: 'a PostgreSQL that is there already: postgres://user:password@host:port/database',
    check: url('postgres:', 'postgresql:'),
  },
};

export const MERCHANTS_AND_ACCOUNTS = {
  MERCHANTS_FILE: { help: 'merchants with their keys (default: config/merchants.demo.json)', check: jsonFile },
  ACCOUNTS_FILE: {
    help: 'accounts at the token API, and who may ask (default: config/accounts.demo.json)',
    check: jsonFile,
  },
};

export const PORT_OFFSET = {
  STACK_PORT_OFFSET: {
    help: 'is added to every usual port: 1000 for a second stack beside the first',
    check: wholeNumber({ max: 50_000 }),
  },
};

/** An option, not a variable. */
export const LOGS = {
  logs: { value: 'FOLDER', help: 'keeps there all that each service prints; the demo also their metrics at the end' },
};

export const CHROMIUM = { CHROMIUM_PATH: { help: 'the Chromium of the browser tests, if it is not on the PATH' } };
