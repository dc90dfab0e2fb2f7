import { loadMerchants, type Merchants } from '@tranche/contracts';
import { Env } from '@tranche/service-kit';
import { Max, Min } from 'class-validator';
import { readOrigins } from './origins.js';

export class CseConfig {
  @Env('PORT', { doc: 'the port of the API', default: 4040 })
  @Min(0)
  @Max(65_535)
  port: number;

  @Env('MANAGEMENT_PORT', { doc: 'the port of health and metrics', default: 4140 })
  @Min(0)
  @Max(65_535)
  managementPort: number;

  @Env('CSE_KEYS_URL', { doc: "the key provider's address, {cse_keys_url} of the interface" })
  keysUrl: URL;

  @Env('CSE_TIMEOUT_MS', { doc: 'how long one call of the key provider may take in all, milliseconds', default: 3_000 })
  @Min(100)
  @Max(60_000)
  timeoutMs: number;

  @Env('CSE_KEY_LIFETIME_MS', { doc: 'how long a key is handed out before the provider is asked again, milliseconds', default: 60_000 })
  @Min(0)
  @Max(3_600_000)
  keyLifetimeMs: number;

  @Env('CSE_ORIGINS', { doc: 'the origins of the shops, comma-separated, for example https://shop.example', read: readOrigins })
  origins: readonly string[];

  @Env('MERCHANTS_FILE', {
    doc: 'the JSON file of the merchants, whose API key ids are served',
    default: 'config/merchants.demo.json',
    file: true,
    read: loadMerchants,
  })
  merchants: Merchants;
}
