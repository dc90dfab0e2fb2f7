import { useQuery } from '@tanstack/react-query';
import { body, api } from './client.js';

/** Settings that operations tells its page before anybody is signed in. */
interface ConsoleSettings {
  backOfficeUrl?: string;
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
