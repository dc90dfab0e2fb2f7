/** Questions of the pages to operations. Lists come by pages; the stream says when they are to be read again. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, body, type Schema } from './client.js';
import type { paths } from './schema.js';

type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? Omit<NonNullable<Q>, 'cursor'>
  : never;

const pages = { initialPageParam: undefined as string | undefined, placeholderData: keepPreviousData };
const nextOf = ({ next }: { next?: string }) => next;

export type AttentionQuery = QueryOf<'/v1/attention'>;
export type AttentionItem = Schema['Attention']['items'][number];

export const useAttention = (query: AttentionQuery) =>
  useInfiniteQuery({
    ...pages,
    queryKey: ['attention', query],
    queryFn: ({ pageParam: cursor }) => body(api.GET('/v1/attention', { params: { query: { ...query, cursor } } })),
    getNextPageParam: nextOf,
  });

export type OrdersQuery = QueryOf<'/v1/orders'>;
export const useOrders = (query: OrdersQuery) =>
  useInfiniteQuery({
    ...pages,
    queryKey: ['orders', query],
    queryFn: ({ pageParam: cursor }) => body(api.GET('/v1/orders', { params: { query: { ...query, cursor } } })),
    getNextPageParam: nextOf,
  });

export type RecordsQuery = QueryOf<'/v1/audit'>;
export type RecordsPath = '/v1/audit' | '/v1/dead-letters' | '/v1/quarantine';
export const useRecords = (path: RecordsPath, query: RecordsQuery) =>
  useInfiniteQuery({
    ...pages,
    queryKey: ['records', path, query],
    queryFn: ({ pageParam: cursor }) => body(api.GET(path, { params: { query: { ...query, cursor } } })),
    getNextPageParam: nextOf,
  });

export const useOrder = (merchant: string, orderId: string) =>
  useQuery({
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

export const usePartitions = () =>
  useQuery({
    queryKey: ['partitions'],
    queryFn: async () => (await body(api.GET('/v1/partitions'))).partitions,
    refetchInterval: 5_000,
  });
