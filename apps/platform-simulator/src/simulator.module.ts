import fastify, { LogController } from 'fastify';
import { Clock } from './clock.service.js';
import { controlController } from './control/control.controller.js';
import { Faults } from './control/faults.js';
import { IssuedTokens, Ledger } from './control/ledger.store.js';
import { cseKeysController } from './cse-keys/cse-keys.controller.js';
import { EncryptionKeys } from './cse-keys/encryption-keys.store.js';
import { formController } from './form/form.controller.js';
import { lookupController } from './process/lookup.controller.js';
import { Notifications } from './notifications/notifications.service.js';
import { Notifier } from './notifications/notifier.client.js';
import { processController } from './process/process.controller.js';
import type { Settings } from './simulator.config.js';
import { AccessTokens } from './token-api/access-tokens.store.js';
import { Accounts } from './token-api/accounts.js';
import { tokenApiController } from './token-api/token-api.controller.js';
import { tokenizerController } from './tokenizer/tokenizer.controller.js';
import { CardTokens } from './transactions/card-tokens.store.js';
import { Execution } from './transactions/execution.service.js';
import { Transactions } from './transactions/transactions.store.js';

interface RunningSimulator {
  readonly port: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;

export async function startSimulator(settings: Settings): Promise<RunningSimulator> {
  let url = '';
  const clock = new Clock();
  const faults = new Faults();
  const transactions = new Transactions(clock);
  const { notificationRetryMs, notificationMode, tokenLifetimeSeconds } = settings;
  const notifications = new Notifications(clock, faults, new Notifier(), notificationRetryMs, notificationMode);
  const issuedTokens = new IssuedTokens();
  const cardTokens = new CardTokens(clock, issuedTokens);
  const books = { clock, transactions, cardTokens, ledger: new Ledger(clock), notifications };
  const parts = {
    ...settings,
    ...books,
    books,
    faults,
    issuedTokens,
    execution: new Execution(books, settings.codesByAmount),
    accounts: new Accounts(settings.accounts),
    accessTokens: new AccessTokens(settings.accounts, tokenLifetimeSeconds, () => `${url}/iam`, issuedTokens),
    encryptionKeys: new EncryptionKeys(settings.merchants),
    formAddress: (transactionId: string) => `${url}/form/${transactionId}`,
  };

  const server = fastify({
    logger: { level: settings.logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: true,
  });
  await processController(server, parts);
  await lookupController(server, parts);
  await formController(server, parts);
  await tokenApiController(server, parts);
  await cseKeysController(server, parts);
  await tokenizerController(server, parts);
  await controlController(server, parts);
  server.get('/health/live', () => ({ status: 'ok' }));
  server.get('/health/ready', () => ({ status: 'ok' }));

  await server.listen({ host: settings.host, port: settings.port });
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.port;
  url = settings.publicUrl ?? `http://127.0.0.1:${port}`;

  return {
    port,
    url,
    async stop() {
      await notifications.stop();
      await server.close();
    },
  };
}
