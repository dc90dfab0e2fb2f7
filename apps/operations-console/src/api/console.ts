import { useQuery } from '@tanstack/react-query';
import { body, api } from './client.js';

/** The page's client at the issuer of operators' tokens. */
export interface OidcClient {
  issuer: string;
  clientId: string;
  scope: string;
}

/** Settings that operations tells its page before anybody is signed in. */
interface ConsoleSettings {
  backOfficeUrl?: string;
  oidc?: OidcClient;
  /** Lengths of the reason of a decision; a job's is shorter. */
  reason: { least: number; most: number; mostOfJob: number };
}

export const useSettings = () =>
  useQuery({
    queryKey: ['settings'],
    staleTime: Infinity,
    queryFn: async () => {
      const response = await fetch('/console.json');
      if (!response.ok) throw new Error(`Operations answered ${response.status}.`);
      return (await response.json()) as ConsoleSettings;
    },
  });

/** Says what a reason must be. Before operations has said its lengths, none is long enough. */
export function useReason(kind: 'decision' | 'job' = 'decision') {
  const { data } = useSettings();
  const { least = Infinity, most, mostOfJob } = data?.reason ?? {};
  const longest = kind === 'job' ? mostOfJob : most;
  return {
    hint: longest === undefined ? undefined : `${least} to ${longest} characters, nothing of the buyer`,
    most: longest,
    /** Characters that lack. */
    lacks: (text: string): number => Math.max(0, least - text.trim().length),
  };
}

export const useMe = () => useQuery({ queryKey: ['me'], queryFn: () => body(api.GET('/v1/me')), staleTime: 60_000 });

const ROLES = ['viewer', 'operator', 'approver'];
export const mayDo = (role: string | undefined, needed: 'operator' | 'approver'): boolean =>
  role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Address of the order in the back office. Only the configured one is linked: it begins with https and its host. */
export function backOfficeLink(template: string | undefined, merchant: string, orderId: string): string | undefined {
  if (template === undefined || !template.startsWith('https://')) return undefined;
  return template
    .replaceAll('{merchant}', encodeURIComponent(merchant))
    .replaceAll('{orderId}', encodeURIComponent(orderId));
}
