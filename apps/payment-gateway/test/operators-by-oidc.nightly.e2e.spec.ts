import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aPartnerBAuthorization, startIssuer, waitFor } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { writeMerchants } from './merchants-file.js';

const AUDIENCE = 'https://payments.example/operators';
const MERCHANT = aPartnerBAuthorization().merchant;
const CLIENTS = {
  alice: { secret: 'secret-of-alice', claims: { roles: ['payments-ops'], merchants: [MERCHANT] } },
  bob: { secret: 'secret-of-bob', claims: { roles: ['payments-lead'], merchants: [MERCHANT] } },
  carol: { secret: 'secret-of-carol', claims: { roles: ['staff'], merchants: [MERCHANT] } },
  dave: { secret: 'secret-of-dave', claims: { roles: ['payments-lead'] } },
};
const merchantsFile = join(mkdtempSync(join(tmpdir(), 'merchants-')), 'merchants.json');
writeMerchants(merchantsFile, (all) => all.map((one) => ({ ...one, approvalAboveMinor: 1 })));

let provider: Awaited<ReturnType<typeof startIssuer>>;
let stack: GatewayStack;
beforeAll(async () => {
  provider = await startIssuer(CLIENTS);
  stack = await startGatewayStack({
    MERCHANTS_FILE: merchantsFile,
    OPERATORS_OIDC_ISSUER: provider.issuer,
    OPERATORS_OIDC_AUDIENCE: AUDIENCE,
    OPERATORS_OIDC_ROLES: 'payments-ops=operator,payments-lead=approver',
    OPERATORS_OIDC_MERCHANTS_CLAIM: 'merchants',
  });
});
afterAll(async () => {
  await stack.stop();
  await provider.stop();
});

async function ask<T = { code: string }>(token: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${stack.gateway.managementUrl}/v1/${path}`, request);
  return { status: response.status, body: (await response.json()) as T };
}

it('two people with tokens of the issuer resolve a doubt; nobody else of the company does', async () => {
  const orderId = 'by-oidc-1';
  await stack.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true } });
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  await stack.event(orderId, 'payment.authorize.in_doubt');
  const [alice, bob, carol, dave] = await Promise.all(
    ['alice', 'bob', 'carol', 'dave'].map((client) => provider.tokenOf(client, AUDIENCE)),
  );
  const doubt = await waitFor(
    async () => (await ask<{ operations: { id: string }[] }>(alice!, 'operations?state=in_doubt')).body.operations[0],
    { what: 'a doubt in the list' },
  );
  const resolve = `operations/${doubt.id}/resolve`;
  const resolution = { outcome: 'succeeded', reason: 'The back office shows it, ticket 812' };

  const ofAnotherService = await provider.tokenOf('bob', 'https://payments.example/shop');
  expect(await ask(ofAnotherService, resolve, resolution)).toMatchObject({
    status: 401,
    body: { code: 'token_refused' },
  });
  expect(await ask(carol!, resolve, resolution)).toMatchObject({ status: 403, body: { code: 'role_needed' } });
  expect(await ask(dave!, resolve, resolution)).toMatchObject({ status: 403, body: { code: 'merchant_not_allowed' } });

  const proposed = await ask<{ id: string; proposedBy: string }>(alice!, resolve, resolution);
  expect(proposed).toMatchObject({ status: 202, body: { proposedBy: 'alice', why: 'amount' } });
  const approve = `proposals/${proposed.body.id}/approve`;
  expect(await ask(alice!, approve, {})).toMatchObject({ status: 403, body: { code: 'role_needed' } });
  expect(await ask(bob!, approve, {})).toMatchObject({ status: 200, body: { state: 'succeeded' } });
  const { body: order } = await ask<{ operations: object[] }>(bob!, `orders/${MERCHANT}/${orderId}`);
  expect(order.operations).toMatchObject([{ state: 'succeeded', resolvedBy: { actor: 'alice' } }]);
}, 120_000);
