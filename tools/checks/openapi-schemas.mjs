/** The bodies of requests and answers, for the OpenAPI documents. An answer may get further properties in a later version. */

const text = (description, example, more = {}) => ({
  type: 'string',
  description,
  ...(example !== undefined && { examples: [example] }),
  ...more,
});
const whole = (description, example, more = {}) => ({ type: 'integer', description, examples: [example], ...more });
const yes = (description) => ({ type: 'boolean', description });
const list = (description, items) => ({ type: 'array', description, items });
const time = (description) => text(description, '2027-03-01T10:00:00.000Z', { format: 'date-time' });
const money = (description) => whole(`${description} In minor units.`, 30000, { minimum: 0 });
const sum = (description) => ({
  ...money(`${description} null if only the platform knows it.`),
  type: ['integer', 'null'],
});
/** An object; the names of optional properties end in `?`. */
function object(description, properties) {
  const names = Object.keys(properties);
  return {
    type: 'object',
    description,
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), properties[name]])),
  };
}
export const ref = (name) => ({ $ref: `#/components/schemas/${name}` });

const ORDER = {
  merchant: text('Merchant in the configuration.', 'shop-fr'),
  orderId: text('ORDERID of the shop.', 'order-1'),
};
const COMMAND = {
  commandId: text('CloudEvents id of the command.', '5b0a4c1e-0d0f-4a55-8c0e-2f6a1f0c9d10'),
  operation: text('Operation of the command.', 'capture'),
};
const MONEY = {
  'amount?': money('Amount of the operation.'),
  'currency?': text('ISO 4217 code.', 'EUR'),
};
const OPERATION_ID = text('Id of the operation, for the paths of this API.', 'c2hvcC1mcg.b3JkZXItMQ.YzE');

export const SCHEMAS = {
  Problem: object('An error, as RFC 9457 problem details.', {
    type: text('URN of the problem.', 'urn:tranche:problem:not_found'),
    title: text('The code in words.', 'Not found'),
    status: whole('HTTP status.', 404, { minimum: 400, maximum: 599 }),
    code: text('Stable code for programs; docs/reference/error-codes.md lists them.', 'not_found', { pattern: '^[a-z0-9_]+$' }),
    'detail?': text('Explanation for people. It holds no value of the request.', 'There is no such operation.'),
    'instance?': text('Path of the request.', '/v1/operations'),
    'traceId?': text('Id of the trace.', '0af7651916cd43dd8448eb211c80319c'),
    'faults?': list('All faults of the request.', {
      type: 'object',
      required: ['path', 'code', 'message'],
      properties: {
        path: text('Field; empty for the whole request.', 'amount'),
        code: text('Stable code of the fault.', 'range'),
        message: text('Explanation for people.', 'must be an integer of at least 1'),
      },
    }),
  }),
  Health: object('Whether the service lives or is ready.', {
    status: text('up, or down with reasons.', 'up', { enum: ['up', 'down'] }),
    reasons: list(
      'Why it is down.',
      object('A reason.', { name: text('Part of the service.', 'kafka'), reason: text('Why.', 'no connection') }),
    ),
  }),
  KeyRequest: object('Which key a page needs.', {
    apiKeyId: text('Public API key of the merchant.', '00000000-0000-4000-8000-000000000001', {
      minLength: 36,
      maxLength: 36,
    }),
    'refused?': text('Id of a key that the tokenizer refused; another one is then fetched.', 'key-2027-02', {
      minLength: 1,
      maxLength: 255,
    }),
  }),
  EncryptionKey: object('A key for client-side encryption.', {
    encryptionKeyId: text('Id of the key.', 'key-2027-03'),
    encryptionPublicKey: text('RSA public key: DER SPKI in base64.', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A'),
  }),
  TokenRequest: object('Whose token is asked for.', {
    account: text('Account in the configuration.', 'platform', { minLength: 1, maxLength: 64 }),
    'refused?': text('Fingerprint of a token that was refused; another one is then fetched.', '3f1a9c0d5b7e2846', {
      pattern: '^[\\w-]{1,64}$',
    }),
  }),
  UserTokenRequest: object('A user of an account of users, with its own credentials.', {
    account: text('Account of users in the configuration.', 'back-office', { minLength: 1, maxLength: 64 }),
    username: text('Name of the user.', 'anna', { minLength: 1, maxLength: 255 }),
    password: text('Password of the user.', undefined, { minLength: 1, maxLength: 1024, format: 'password' }),
  }),
  Token: object('An access token.', {
    account: text('Account of the token.', 'platform'),
    accessToken: text('Token for the header Authorization.', 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'),
    tokenType: text('Kind of token.', 'Bearer', { const: 'Bearer' }),
    expiresInSeconds: whole('Seconds for which the token is valid.', 3600, { minimum: 0 }),
    fingerprint: text('Short hash of the token, to report it as refused.', '3f1a9c0d5b7e2846'),
  }),
  Accounts: object('Accounts that the caller may use.', {
    accounts: list(
      'The accounts.',
      object('An account.', {
        account: text('Name of the account.', 'platform'),
        grant: text('OAuth 2.0 grant.', 'client_credentials'),
        'ofUsers?': yes('True if users give their own credentials.'),
        'scope?': text('Scope that is asked for.', '/realms/shop'),
        'scopeFrom?': text('Account whose realm is the scope.', 'platform'),
      }),
    ),
  }),
  Realm: object('Realm of an account.', {
    account: text('Account.', 'platform'),
    realmPath: text('Path of its realm.', '/realms/shop'),
  }),
  Identity: object('A token that the token API accepted.', {
    account: text('Account.', 'platform'),
    isValid: { type: 'boolean', const: true, description: 'Always true.' },
  }),
  EventReference: object('A published event.', {
    id: text('CloudEvents id.', 'AbCdEfGhIjKlMnOpQrStUvWxYz0'),
    type: text('Type of the event.', 'payment.capture.succeeded'),
    sequence: text('Place of the event within the order.', '0000000000000000042'),
  }),
  Candidate: object('A report that named no operation and may be one of several.', {
    operation: COMMAND.operation,
    result: text('Result of the report.', 'succeeded'),
    source: text('Source of the report.', 'notification'),
    'transactionId?': text('TRANSACTIONID of the report.', 'T0000000001'),
    'execCode?': text('EXECCODE of the report.', '0000'),
    'amount?': money('Amount of the report.'),
    'message?': text('MESSAGE of the report.', 'Transaction accepted'),
  }),
  Doubt: object('An operation in doubt: it may or may not have been executed.', {
    id: OPERATION_ID,
    ...ORDER,
    ...COMMAND,
    method: text('Payment method.', 'A'),
    attempt: whole('Number of the call of the platform.', 1, { minimum: 0 }),
    ...MONEY,
    since: text('Time from which it is in doubt.', '2027-03-01T10:00:00.000Z'),
    ageSeconds: whole('Seconds since then.', 60, { minimum: 0 }),
    'reason?': text('Why it is in doubt.', 'timeout'),
    transactionIds: list('TRANSACTIONIDs of its attempts.', { type: 'string' }),
    candidates: list('Reports that may be about it.', ref('Candidate')),
    notExecuted: object('When an operator may say that it was not executed.', {
      maySay: yes('True from that time on.'),
      from: time('The time.'),
    }),
  }),
  Conflict: object('Reports about an order that cannot all be true.', {
    id: OPERATION_ID,
    ...ORDER,
    reason: text('Gravest reason.', 'two_payments_succeeded'),
    'commandId?': COMMAND.commandId,
    'operation?': COMMAND.operation,
    ...MONEY,
    'transactionId?': text('TRANSACTIONID.', 'T0000000001'),
    events: list('Events that published it.', ref('EventReference')),
  }),
  Operation: object('An operation of an order.', {
    id: OPERATION_ID,
    ...COMMAND,
    method: text('Payment method.', 'A'),
    state: text('End of the operation, else its phase.', 'succeeded'),
    attempt: whole('Number of the last call of the platform.', 1, { minimum: 0 }),
    ...MONEY,
    'transactionId?': text('TRANSACTIONID.', 'T0000000001'),
    attempts: list('Calls of the platform.', { type: 'object' }),
    evidence: list('Reports that were counted.', { type: 'object' }),
    events: list('Published events.', ref('EventReference')),
  }),
  Order: object('An order as the journal knows it. It holds no token and no personal data.', {
    ...ORDER,
    'isPartial?': yes('True if the journal no longer has the first records of the order.'),
    'isFrozen?': yes('True if a record was skipped; nothing is sent for the order any more.'),
    status: text('The most urgent status.', 'captured'),
    amounts: object('Sums of the order.', {
      currency: { ...text('ISO 4217 code.', 'EUR'), type: ['string', 'null'] },
      authorized: sum('Authorized.'),
      captured: sum('Captured.'),
      refunded: sum('Refunded.'),
      remaining: sum('May still be refunded.'),
      assumed: list('Sums with an amount that no message named.', { type: 'string' }),
    }),
    deadlines: object('Times at which something ends or begins.', {
      'captureWindowEndsAt?': time('A later capture is sent, but not guaranteed.'),
      'pendingExpiresAt?': time('The pending approval ends.'),
      'redirectExpiresAt?': time('The redirect ends.'),
      'operatorMayResolveFrom?': time('An operator may resolve a waiting payment.'),
      'nextLookUpAt?': time('The next look-up of a doubt.'),
    }),
    operations: list('All operations.', ref('Operation')),
    candidates: list('Reports that named no operation.', ref('Candidate')),
    external: list('Operations that no command asked for.', { type: 'object' }),
  }),
  Resolution: object('The outcome that an operator found out.', {
    outcome: text('The outcome.', 'succeeded', { enum: ['succeeded', 'refused', 'not_executed', 'redirect_required'] }),
    reason: text('How the operator knows; no personal data.', 'seen in the back office', {
      minLength: 10,
      maxLength: 500,
    }),
    'actor?': text('Ignored: the key names the person.', 'anna'),
    'transactionId?': text('TRANSACTIONID of the operation.', 'T0000000001', { pattern: '^[\\x21-\\x7e]{1,32}$' }),
    'execCode?': text('EXECCODE of the operation.', '0000', { pattern: '^\\d{4}$' }),
    'amount?': whole('Amount in minor units, where it differs from the requested one.', 30000, {
      minimum: 1,
      maximum: 999999999999,
    }),
  }),
  Proposal: object('A resolution that a second person must decide.', {
    id: text('Id of the proposal.', '0195507a-6f8c-7000-8000-000000000001'),
    operation: OPERATION_ID,
    ...ORDER,
    commandId: COMMAND.commandId,
    resolution: ref('Resolution'),
    why: text('Why two people are needed.', 'refused'),
    proposedBy: text('Person who proposed.', 'anna'),
    proposedAt: time('Time of the proposal.'),
    state: text('State of the proposal.', 'open'),
  }),
  Doubts: object('A page of operations in doubt.', {
    operations: list('The operations.', ref('Doubt')),
    'next?': text('Value of after for the next page.', 'abc'),
  }),
  Conflicts: object('A page of conflicts.', {
    conflicts: list('The conflicts.', ref('Conflict')),
    'next?': text('Value of after for the next page.', 'abc'),
  }),
  Proposals: object('Proposals of the operator’s merchants.', {
    proposals: list('The proposals, newest first.', ref('Proposal')),
  }),
};
