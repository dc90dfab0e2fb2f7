import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { tokenOf, useToken } from '../session.js';
import { clock } from '../text/format.js';
import { CONNECTING, followStream, type StreamState } from './stream.js';

const Live = createContext<StreamState>(CONNECTING);
export const useLive = (): StreamState => useContext(Live);

/** Lists are read again this often at most, however many orders change: the gateway audits each read. */
const LISTS_EVERY_MS = 2_000;
const SOON_MS = 100;

/** Reads again what changed, for as long as somebody is signed in. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const token = useToken();
  const [state, setState] = useState<StreamState>(CONNECTING);
  useEffect(() => {
    if (token === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let readAtMs = 0;
    const lists = () => {
      const waitMs = Math.max(SOON_MS, readAtMs + LISTS_EVERY_MS - Date.now());
      timer ??= setTimeout(() => {
        timer = undefined;
        readAtMs = Date.now();
        void queries.invalidateQueries({
          predicate: ({ queryKey: [first] }) => first !== 'order' && first !== 'settings' && first !== 'me',
        });
      }, waitMs);
    };
    const end = followStream({
      url: '/v1/stream',
      token: tokenOf,
      onState: setState,
      onDecided: () => {
        void queries.invalidateQueries({ queryKey: ['order'] });
        lists();
      },
      onChanged: ({ merchant, orderId }) => {
        void queries.invalidateQueries({ queryKey: ['order', merchant, orderId] });
        lists();
      },
      onStale: () => void queries.invalidateQueries(),
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [queries, token]);
  return <Live value={state}>{children}</Live>;
}

/** Says when what is shown may be old, and since when. */
export function LiveLine() {
  const { link, behind, isDatabaseThere, isGatewayThere, heardAt } = useLive();
  const since = heardAt === undefined ? '' : ` What you see is of ${clock(heardAt)}.`;
  const says = ((): string | undefined => {
    if (link === 'lost')
      return `Cut off: operations does not answer; trying again.${since} What you type here is kept.`;
    if (!isGatewayThere)
      return 'The gateway does not answer: nothing can be decided until it does. What you type here is kept.';
    if (!isDatabaseThere)
      return 'The database of operations does not answer. What you see may be old; decisions still go to the gateway.';
    if (behind > 0)
      return `Operations is ${behind.toLocaleString('en')} records behind Kafka: an order may have moved on.`;
    return undefined;
  })();
  return (
    <div role="status" className="live-line" data-link={link}>
      {says}
    </div>
  );
}
