import { waitFor, type RunningApp } from '@tranche/testing';
import type { OrderView } from '../src/order/order-view.js';

interface Message {
  id: string;
  view: OrderView;
}

export async function follow(shop: RunningApp, pageId: string, lastEventId?: string) {
  const abort = new AbortController();
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const answer = await fetch(`${shop.url}/orders/${pageId}/events`, { headers, signal: abort.signal });
  const messages: Message[] = [];
  let text = '';
  const read = async () => {
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const events = [...text.matchAll(/event: order\nid: (\d+)\nretry: \d+\ndata: (.*)\n\n/g)];
      messages.splice(
        0,
        messages.length,
        ...events.map(([, id = '', data = '']) => ({ id, view: JSON.parse(data) as OrderView })),
      );
    }
  };
  const readToEnd = () =>
    read().then(
      () => 'ended' as const,
      () => 'cut' as const,
    );
  const ended = answer.ok ? readToEnd() : answer.body?.cancel();
  return {
    status: answer.status,
    messages,
    ended,
    text: () => text,
    next: (condition: (message: Message) => boolean) =>
      waitFor(() => messages.find(condition), { what: `a message about ${pageId}` }),
    close: () => abort.abort(),
  };
}
