import fastify, { LogController } from 'fastify';
import { Clock } from './clock.service.js';
import { controlController } from './control/control.controller.js';
import { IssuedTokens } from './control/issued-tokens.store.js';
import { Faults } from './control/faults.store.js';
import { Ledger } from './control/ledger.store.js';
import { cseKeysController } from './cse-keys/cse-keys.controller.js';
import { EncryptionKeys } from './cse-keys/encryption-keys.store.js';
import { formController } from './form/form.controller.js';
import { lookupController } from './process/lookup.controller.js';
import { Notifications } from './notifications/notifications.service.js';
import { Notifier } from './notifications/notifier.client.js';
import { processController } from './process/process.controller.js';
import { ProcessService } from './process/process.service.js';
import type { Settings } from './simulator.config.js';
import { AccessTokens } from './token-api/access-tokens.store.js';
import { Accounts } from './token-api/accounts.store.js';
import { tokenApiController } from './token-api/token-api.controller.js';
import { tokenizerController } from './tokenizer/tokenizer.controller.js';
import { Tokenizer } from './tokenizer/tokenizer.service.js';
import { CardTokens } from './transactions/card-tokens.store.js';
import { Decisions } from './transactions/decision.service.js';
import { Execution } from './transactions/execution.service.js';
import { Transactions } from './transactions/transactions.store.js';

export interface RunningSimulator {
  readonly port: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Interval for the expiry of 0003 transactions without any call or change of the clock. */
const EXPIRY_CHECK_MS = 60_000;

export async function startSimulator(settings: Settings): Promise<RunningSimulator> {
  const { merchants, latencyMs } = settings;
  let url = '';
  const clock = new Clock();
  const faults = new Faults();
  const transactions = new Transactions();
  const notifications = new Notifications(
    clock,
    faults,
    new Notifier(),
    settings.notificationRetryMs,
    settings.notificationMode,
  );
  const issuedTokens = new IssuedTokens();
  const cardTokens = new CardTokens(clock, issuedTokens);
  const books = { clock, transactions, cardTokens, ledger: new Ledger(clock), notifications };
  const execution = new Execution(books, settings.codesByAmount);
  const decisions = new Decisions(books, merchants);
  const accounts = new Accounts(settings.accounts);
  const accessTokens = new AccessTokens(
    settings.accounts,
    settings.tokenLifetimeSeconds,
    () => `${url}/iam`,
    issuedTokens,
  );
  const encryptionKeys = new EncryptionKeys(merchants);
  const tokenizer = new Tokenizer({
    encryptionKeys,
    cardTokens,
    clock,
    requiresSelectedBrand: settings.requiresSelectedBrand,
  });
  const tokens = { accessTokens, issuedTokens, encryptionKeys, tokenizer };
  const parts = { merchants, accounts, transactions, books, execution, decisions, faults, latencyMs, ...tokens };

  const server = fastify({
    logger: { level: settings.logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: true,
  });
  await processController(
    server,
    new ProcessService(parts, settings, (transactionId) => `${url}/form/${transactionId}`),
  );
  await lookupController(server, { ...parts, lagMs: settings.lookupLagMs });
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
  const expiry = setInterval(() => decisions.expireOverdue(), EXPIRY_CHECK_MS);

  return {
    port,
    url,
    async stop() {
      clearInterval(expiry);
      await notifications.stop();
      await server.close();
    },
  };
}
