import { gzipSync } from 'node:zlib';
import { stage } from '@tranche/testing';
import { PAGES } from './console.js';

const MOST_BYTES = 150_000;
let url: string;
/** The page is no part of the OpenAPI document by which answers of the address that the stage names are checked. */
beforeAll(async () => (url = (await stage('operations')).apps.operations!.url.replace('127.0.0.1', 'localhost')));

it('the first page has nothing inline, a policy that would refuse it, and at most 150 kB of JavaScript', async () => {
  const page = await fetch(url);
  const html = await page.text();
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|data:|nonce|\*/);
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  const scripts = [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path]) => path!);
  expect(scripts.length).toBeGreaterThan(0);
  const bodies = await Promise.all(scripts.map(async (path) => (await fetch(url + path)).text()));
  const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThan(MOST_BYTES);
});

it('a part of the page is kept for good, and is sent compressed to whoever takes that', async () => {
  const [, path] = /src="([^"]+\.js)"/.exec(await (await fetch(url)).text()) ?? [];
  const sent = async (encoding: string) => {
    const { headers } = await fetch(url + path, { headers: { 'accept-encoding': encoding } });
    expect(headers.get('cache-control')).toContain('immutable');
    return [headers.get('content-encoding'), Number(headers.get('content-length'))] as const;
  };
  const [none, whole] = await sent('identity');
  const [br, least] = await sent('br');
  const [gzip, less] = await sent('gzip');
  expect([none, br, gzip]).toEqual([null, 'br', 'gzip']);
  expect([least < less, less < whole / 2]).toEqual([true, true]);
});

it('a reload of each page that the navigation names shows it again', async () => {
  const types = PAGES.map(async (path) => (await fetch(url + path)).headers.get('content-type'));
  expect(PAGES.length).toBeGreaterThan(5);
  expect(await Promise.all(types)).toEqual(PAGES.map((): unknown => expect.stringContaining('text/html')));
});

it('an address of the page is the page, and an unknown one of the API is a problem', async () => {
  const order = await fetch(`${url}/orders/shop-fr/order-1`);
  expect(order.headers.get('content-type')).toContain('text/html');
  const unknown = await fetch(`${url}/v1/nothing`);
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, expect.stringContaining('problem+json')]);
  const outside = await fetch(`${url}/assets/..%2f..%2fpackage.json`);
  expect(outside.status).toBeGreaterThanOrEqual(400);
});
