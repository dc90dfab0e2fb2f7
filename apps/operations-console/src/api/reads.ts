/** Questions of the pages to operations. Lists come by pages; the stream says when they are to be read again. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body, type Schema } from './client.js';
import type { paths } from './schema.js';

type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? Omit<NonNullable<Q>, 'cursor'>
  : never;

/** One part of a list, and the ways to the parts before and behind it: however long the list, a page has a part of it. */
export function usePaged<P extends { next?: string }>(
  queryKey: readonly unknown[],
  ask: (cursor: string | undefined) => Promise<P>,
  refetchInterval: number | false = false,
) {
  const list = JSON.stringify(queryKey);
  const [place, setPlace] = useState({ list, cursors: [] as string[] });
  const cursors = place.list === list ? place.cursors : [];
  const cursor = cursors.at(-1);
  const asked = useQuery({
    queryKey: [...queryKey, cursor],
    queryFn: () => ask(cursor),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const next = asked.isPlaceholderData ? undefined : asked.data?.next;
  const go = (to: string[]) => () => setPlace({ list, cursors: to });
  return {
    ...asked,
    part: cursors.length + 1,
    before: cursors.length === 0 ? undefined : go(cursors.slice(0, -1)),
    behind: next === undefined ? undefined : go([...cursors, next]),
  };
}

export type AttentionQuery = QueryOf<'/v1/attention'>;
export type AttentionItem = Schema['Attention']['items'][number];
export const useAttention = (query: AttentionQuery) =>
  usePaged(['attention', query], (cursor) =>
    body(api.GET('/v1/attention', { params: { query: { ...query, cursor } } })),
  );

export type OrdersQuery = QueryOf<'/v1/orders'>;
export const useOrders = (query: OrdersQuery) =>
  usePaged(['orders', query], (cursor) => body(api.GET('/v1/orders', { params: { query: { ...query, cursor } } })));

type RecordsQuery = QueryOf<'/v1/audit'>;
export type RecordsPath = '/v1/audit' | '/v1/dead-letters' | '/v1/quarantine';
export const useRecords = (path: RecordsPath, query: RecordsQuery) =>
  usePaged(['records', path, query], (cursor) => body(api.GET(path, { params: { query: { ...query, cursor } } })));

export const useOrder = (merchant: string, orderId: string, enabled = true) =>
  useQuery({
    enabled,
    queryKey: ['order', merchant, orderId, 'now'],
    queryFn: () => body(api.GET('/v1/orders/{merchant}/{orderId}', { params: { path: { merchant, orderId } } })),
  });

/** A look at an order is in the audit, and no part of its story. */
const withoutReads = (timeline: Schema['Timeline']): Schema['Timeline'] => ({
  ...timeline,
  entries: timeline.entries.filter(({ kind }) => !kind.endsWith('.read')),
});

export const useTimeline = (merchant: string, orderId: string, at: string | undefined) =>
  useQuery({
    queryKey: ['order', merchant, orderId, 'timeline', at],
    placeholderData: keepPreviousData,
    select: withoutReads,
    queryFn: () =>
      body(
        api.GET('/v1/orders/{merchant}/{orderId}/timeline', { params: { path: { merchant, orderId }, query: { at } } }),
      ),
  });

export type Proposal = Schema['Proposal'];
export const useProposals = () =>
  useQuery({
    queryKey: ['proposals'],
    queryFn: async () => (await body(api.GET('/v1/proposals'))).proposals,
  });

/** A rail stops and goes on without any order that changes. */
const RAILS_EVERY_MS = 10_000;
export const useRails = () =>
  useQuery({
    queryKey: ['rails'],
    queryFn: async () => (await body(api.GET('/v1/rails'))).rails,
    refetchInterval: RAILS_EVERY_MS,
  });

export const useCalls = () =>
  useQuery({
    queryKey: ['calls'],
    queryFn: async () => (await body(api.GET('/v1/calls'))).rails,
    refetchInterval: RAILS_EVERY_MS,
  });

export const usePartitions = () =>
  useQuery({
    queryKey: ['partitions'],
    queryFn: async () => (await body(api.GET('/v1/partitions'))).partitions,
    refetchInterval: 5_000,
  });
