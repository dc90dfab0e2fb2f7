import type { Type } from '@nestjs/common';
import { readConfig, settingsIn, type ConfigFault } from '../config.js';
import { KitConfig } from '../kit.config.js';
import { productionFaults } from './production-faults.js';
import { redisFaults, withReachedRedis } from './redis-settings.js';

export interface ServiceSettings<C extends object> {
  config: C;
  kit: KitConfig;
  /** All faults at once: of the service's settings, of the kit's, and those of production mode. */
  faults: ConfigFault[];
}

/** @param isProduction adds the faults of production mode; the default is TOPICS=check */
export function readServiceSettings<C extends object>(
  Config: Type<C>,
  env: Record<string, string | undefined>,
  { isProduction }: { isProduction?: boolean } = {},
): ServiceSettings<C> {
  const { config, faults: own } = readConfig(Config, env);
  const { config: kit, faults: ofKit } = readConfig(KitConfig, env);
  const faults = [...own, ...ofKit, ...redisFaults(config, kit)];
  if (isProduction ?? (config as { topics?: unknown }).topics === 'check') {
    const hosts = kit.plaintextHosts ?? [];
    const [own, ...others] = [...settingsIn(config), ...settingsIn(kit)];
    faults.push(...productionFaults(withReachedRedis(config, kit), own!.declarations, hosts));
    for (const other of others) faults.push(...productionFaults(other.config, other.declarations, hosts));
  }
  return { config, kit, faults };
}
