/** A page of `npm run demo -- --keep` and `npm run stack` with a button for each situation of `tranche drill`; it runs that command. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { builtFile } from '../infra/bundles.mjs';

/** A start waits for what it plays; the command itself gives up earlier. */
const TIMEOUT_MS = 300_000;
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
};

/** `settings` are those of `tranche drill`. Resolves to `{ url, close }`; the page ends with this process. */
export async function openDrillPage(settings) {
  const { text } = await drill(settings, ['list', '-o', 'json']);
  const situations = JSON.parse(text);
  const server = createServer((request, response) => {
    const send = (status, html) => response.writeHead(status, HEADERS).end(html);
    const { url, method, headers } = request;
    const own = `127.0.0.1:${server.address().port}`;
    // Another site may know a name that leads here, or send a form.
    if (headers.host !== own) return send(421, 'This page is at its address alone.');
    if (url === '/' && method === 'GET') return send(200, pageOf(settings, situations));
    if (method !== 'POST') return send(404, 'There is no such page.');
    if (headers.origin !== `http://${own}`) return send(403, 'Only this page itself starts a drill.');
    const [, what, name] = /^\/(start|check|back-office)\/([a-z0-9/-]+)$/.exec(url) ?? [];
    const isKnown = what === 'back-office' ? /^shop-fr\/drill-/.test(name) : situations.some((one) => one.name === name);
    if (!isKnown) return send(404, 'There is no such situation, and no such order.');
    return void drill(settings, [what, name]).then((said) => {
      const [, order] = /(shop-fr\/drill-[a-z0-9-]+)/.exec(said.text) ?? [];
      send(200, pageOf(settings, situations, { what, name, order: what === 'back-office' ? name : order, ...said }));
    });
  }); // prettier-ignore
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const close = () => new Promise((done) => server.close(done).closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

/** Resolves to what the command says, and its exit code. */
const drill = (settings, args) =>
  new Promise((done) => {
    const options = { env: { PATH: process.env.PATH, ...settings }, timeout: TIMEOUT_MS };
    execFile(process.execPath, [builtFile('cli'), 'drill', ...args], options, (error, stdout, stderr) =>
      done({ code: error ? (error.code ?? 1) : 0, text: stdout || stderr }),
    );
  });

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const button = (what, name) =>
  `<form method="post" action="/${what}/${name}"><button aria-label="${what} ${name}">${what}</button></form>`;

function pageOf({ OPERATIONS_URL: operations }, situations, said) {
  const rows = situations.map(
    ({ number, name, title }) =>
      `<tr><td>${number}</td><th scope="row">${name}</th><td>${escaped(title)}</td><td>${button('start', name)}</td><td>${button('check', name)}</td></tr>`,
  );
  const books = said?.order && `<form method="post" action="/back-office/${said.order}"><button>back office of ${said.order}</button></form>`;
  const answer = said && `<h2>${said.what} ${said.name}: exit code ${said.code}</h2><pre role="status">${escaped(said.text)}</pre>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Drill · Tranche</title><main><h1>Drill</h1>
<p>Start one, which takes as long as what it plays; do what you would do at night
<a href="${escaped(operations)}" target="_blank" rel="noopener">at the page of operators</a>; then check. Nothing reaches a real platform.</p>
${answer ?? ''}${books ?? ''}<table><caption>Ten bad situations</caption>${rows.join('')}</table></main></html>`;
} // prettier-ignore
