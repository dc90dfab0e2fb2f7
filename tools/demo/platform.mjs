/** Plays the cardholder at the provider's form, and calls the simulator's own API: ledger, approval, faults. */
import { setTimeout as delay } from 'node:timers/promises';
import { Expected } from '../infra/processes.mjs';

const TIMEOUT_MS = 15_000;

export function platformAt(simulatorUrl) {
  const request = async (method, path, body) => {
    const answer = await fetch(simulatorUrl + path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) throw new Expected(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const ledger = (orderId) => request('GET', `/simulator/ledger?orderId=${encodeURIComponent(orderId)}`);

  return {
    ledger,

    /** Plays the browser: opens the decoded REDIRECTHTML, follows it and decides there. Returns the address it is redirected to. */
    async decide(redirectHtml, decision) {
      const address = formAddress(Buffer.from(redirectHtml, 'base64').toString('utf8'));
      const form = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!form.ok) throw new Expected(`the form at ${address} answered ${form.status}`);
      const answer = await fetch(address, {
        method: 'POST',
        body: new URLSearchParams({ decision }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (answer.status !== 303)
        throw new Expected(`the decision "${decision}" was answered with ${answer.status} instead of 303`);
      return answer.headers.get('location');
    },

    approve: (transactionId) =>
      request('POST', `/simulator/transactions/${transactionId}/decide`, { decision: 'approve' }),
    fault: (match, fault) => request('POST', '/simulator/faults', { match, fault }),

    /** Sends the notifications of an order that a fault kept back. */
    notify: (identifier, orderId) => request('POST', '/simulator/notifications/suppressed', { identifier, orderId }),
    refundInBackOffice: (identifier, orderId, amount) =>
      request('POST', '/simulator/refunds', { identifier, orderId, amount }),
    travel: (ms) => request('POST', '/simulator/clock', { advanceSeconds: ms / 1000 }),

    async called(orderId, operation) {
      const deadline = performance.now() + TIMEOUT_MS;
      while (performance.now() < deadline) {
        const { calls } = await ledger(orderId);
        if (calls.some((call) => call.operation === operation)) return;
        await delay(10);
      }
      throw new Expected(`no ${operation} of ${orderId} reached the platform`);
    },
  };
}

export function formAddress(html) {
  const [, address] = /(?:action|href|url)\s*=\s*["']?(https?:\/\/[^"'\s>]+)/i.exec(html) ?? [];
  if (!address) throw new Expected('REDIRECTHTML leads nowhere');
  return address.replaceAll('&amp;', '&').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
