import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from '@nestjs/common';
import { MetadataScanner, Reflector } from '@nestjs/core';
import type { AuditRecord } from '@tranche/contracts';
import {
  assertMerchant,
  OperatorGuard,
  OperatorSignIn,
  Requires,
  type Operator,
  type OperatorIdentity,
  type OperatorRole,
  type RouteNeeds,
} from '@tranche/operators';
import { Secret } from '@tranche/service-kit';
import { AuditedRefusals, AuditInterceptor } from './operator.guard.js';
import type { Audit } from './audit.service.js';

const action = 'order.read';
const KEY = 'canary-key-of-32-characters-or-so';
const NOW_MS = Date.parse('2026-03-01T10:00:00.000Z');
const alice: Operator = { operator: 'alice', person: 'alice', role: 'viewer', key: new Secret(KEY) };

async function ask(
  operators: Operator[] | undefined,
  authorization?: string,
  needs: RouteNeeds | null = { role: 'viewer', action },
) {
  const request: { headers: { authorization?: string }; operator?: OperatorIdentity } = {
    headers: authorization ? { authorization } : {},
  };
  const route = () => undefined;
  if (needs) Requires(needs)(route);
  const context = {
    switchToHttp: () => ({ getRequest: () => request }),
    getHandler: () => route,
    getClass: () => Object,
  } as unknown as ExecutionContext;
  const clock = { nowMs: () => NOW_MS };
  const audit = { note: (record: AuditRecord) => void noted.push(record) } as unknown as Audit;
  const oidc = {
    isConfigured: hasIssuer,
    operatorOf: (token: string) => Promise.resolve({ person: `holder of ${token}`, role: 'viewer' as const }),
  };
  const signIn = new OperatorSignIn({ known: operators }, clock, oidc);
  const guard = new OperatorGuard(signIn, new Reflector(), new AuditedRefusals(audit));
  const isLetIn = await guard.canActivate(context);
  return isLetIn ? request.operator?.person : undefined;
}
let noted: AuditRecord[];
let hasIssuer: boolean;
beforeEach(() => {
  noted = [];
  hasIssuer = false;
});
const refusal = (status: number, code: string) => expect.objectContaining({ status, code }) as Error;

describe('operators’ door', () => {
  it('knows who comes by the key', async () => {
    expect(await ask([alice], `Bearer ${KEY}`)).toBe('alice');
  });

  it('refuses another key', async () => {
    await expect(ask([alice], 'Bearer x')).rejects.toEqual(
      expect.objectContaining({ status: 401, code: 'unauthorized' }),
    );
    expect(noted).toEqual([{ action, result: 'refused', code: 'unauthorized' }]);
  });

  it('takes tokens where there is an issuer, and keys beside them', async () => {
    hasIssuer = true;
    expect(await ask(undefined, 'Bearer eyJhbGciOiJub25lIn0.e30.sig')).toBe('holder of eyJhbGciOiJub25lIn0.e30.sig');
    expect(await ask([alice], `Bearer ${KEY}`)).toBe('alice');
    await expect(ask(undefined, `Bearer ${KEY}`)).rejects.toEqual(refusal(401, 'unauthorized'));
    hasIssuer = false;
    await expect(ask([alice], 'Bearer eyJhbGciOiJub25lIn0.e30.sig')).rejects.toEqual(refusal(401, 'unauthorized'));
  });

  it('says which setting is missing where there are no operators', async () => {
    const refused = expect.objectContaining({
      status: 503,
      code: 'operators_not_configured',
      detail: expect.stringContaining('OPERATORS_FILE'),
    });
    await expect(ask(undefined, 'Bearer canary-key-of-32-characters-or-so')).rejects.toEqual(refused);
  });

  it.each<[OperatorRole, OperatorRole, boolean]>([
    ['viewer', 'viewer', true],
    ['viewer', 'operator', false],
    ['operator', 'operator', true],
    ['operator', 'approver', false],
    ['approver', 'operator', true],
    ['approver', 'approver', true],
  ])('%s where %s is needed: %s', async (role, needed, isLetIn) => {
    const asking = () => ask([{ ...alice, role }], `Bearer ${KEY}`, { role: needed, action });
    if (isLetIn) expect(await asking()).toBe('alice');
    else await expect(asking()).rejects.toEqual(refusal(403, 'role_needed'));
    const refused = { action, result: 'refused', code: 'role_needed', operator: 'alice', role };
    expect(noted).toEqual(isLetIn ? [] : [refused]);
  });

  it('is closed to all where a route declares no role', async () => {
    expect(await ask([{ ...alice, role: 'approver' }], `Bearer ${KEY}`, null)).toBeUndefined();
  });

  it.each([
    [NOW_MS + 1, true],
    [NOW_MS, false],
  ])('takes a key until notAfter, and not from then on: %i', async (notAfterMs, isTaken) => {
    const asking = () => ask([{ ...alice, notAfterMs }], `Bearer ${KEY}`);
    if (isTaken) expect(await asking()).toBe('alice');
    else await expect(asking()).rejects.toEqual(refusal(401, 'key_expired'));
  });

  it('lets an operator of one merchant act for no other', () => {
    expect(() => assertMerchant({ ...alice, merchants: ['shop-fr'] }, 'shop-es')).toThrow(
      refusal(403, 'merchant_not_allowed'),
    );
    expect(() => assertMerchant({ ...alice, merchants: ['shop-fr'] }, 'shop-fr')).not.toThrow();
    expect(() => assertMerchant(alice, 'shop-es')).not.toThrow();
  });
});

/** Every class of this app with routes, in any module. */
async function routesOf(folder: string): Promise<{ name: string; isGuarded: boolean; needs?: RouteNeeds }[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.controller.ts'),
  );
  const modules = await Promise.all(
    files.map((file) => import(join(folder, file)) as Promise<Record<string, { prototype?: object; name: string }>>),
  );
  const controllers = modules
    .flatMap((module) => Object.values(module))
    .filter((exported) => (typeof exported as string) === 'function' && Reflect.hasMetadata('path', exported));
  return controllers.flatMap((controller) => {
    const prototype = controller.prototype as Record<string, object>;
    const guards = (Reflect.getMetadata('__guards__', controller) ?? []) as unknown[];
    const interceptors = (Reflect.getMetadata('__interceptors__', controller) ?? []) as unknown[];
    return new MetadataScanner()
      .getAllMethodNames(prototype)
      .filter((method) => Reflect.hasMetadata('path', prototype[method]!))
      .map((method) => ({
        name: `${controller.name}.${method}`,
        isGuarded: guards.includes(OperatorGuard) && interceptors.includes(AuditInterceptor),
        needs: new Reflector().get(Requires, prototype[method] as () => void),
      }));
  });
}

it('every route of the gateway is behind the door, is audited, and declares its role', async () => {
  const routes = await routesOf(join(__dirname, '..'));
  expect(routes.map(({ name }) => name)).toContain('OperationsController.resolve');
  for (const { name, isGuarded, needs } of routes)
    expect({ name, isGuarded, role: needs?.role, action: needs?.action }).toEqual({
      name,
      isGuarded: true,
      role: expect.stringMatching(/^(viewer|operator|approver)$/),
      action: expect.stringMatching(/^[a-z]+\.[a-z]+$/),
    });
});
