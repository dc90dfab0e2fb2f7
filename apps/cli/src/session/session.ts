import { isLoopback, loadConfig } from '@tranche/service-kit';
import { EXIT, ExitError, SettingsError, UsageError } from '../exit.js';
import { orderNamed, ROW } from '../output/parse.js';
import { Api, type Address } from './api.js';
import { LastList, type ListedRow } from './last-list.js';
import { readProfiles, type Profile } from './profiles.js';
import { SessionConfig } from './session.config.js';

export interface OrderRef {
  merchant: string;
  orderId: string;
  /** Id of an operation, a conflict or a proposal. */
  id?: string;
  kind?: string;
}

/** The person who asks, the address, and the last list. */
export class Session {
  readonly #list: LastList;

  private constructor(
    readonly api: Api,
    readonly profile: string | undefined,
    readonly isProduction: boolean,
    /** The setting or profile that has the token; undefined without one. */
    readonly tokenFrom: string | undefined,
    readonly mayDecide: boolean,
  ) {
    this.#list = new LastList(profile ?? 'none');
  }

  static open(): Session {
    const config = loadConfig(SessionConfig);
    const { current, profiles } = readProfiles();
    const name = config.profile ?? current;
    const profile = name === undefined ? undefined : profiles[name];
    if (config.profile !== undefined && profile === undefined)
      throw new SettingsError(`TRANCHE_PROFILE: there is no profile ${config.profile}; there is: ${Object.keys(profiles).join(', ') || 'none'}. Make it with \`tranche login --profile ${config.profile}\``); // prettier-ignore
    const tokens = [
      ['TRANCHE_TOKEN', config.token?.reveal()],
      [`profile ${name}`, profile?.token],
      ['GATEWAY_KEY', config.gatewayKey?.reveal()],
    ] as const;
    const [from, token] = tokens.find(([, one]) => one !== undefined) ?? [];
    const isProduction = profile?.production ?? config.topics === 'check';
    const address = addressOf(config, name, profile);
    if (profile?.production === true && address.url.protocol === 'http:' && !isLoopback(address.url.hostname))
      throw new SettingsError(
        `${address.from}: the profile is production, and ${address.url.origin} would get its token unencrypted: use https`,
      );
    return new Session(new Api(address, token), name, isProduction, from, from !== undefined && from !== 'GATEWAY_KEY');
  }

  /** Before anything is decided: the key of the pod only reads. */
  assertPerson(): void {
    if (this.mayDecide) return;
    throw new ExitError(
      EXIT.notAllowed,
      'nobody is signed in: `tranche login`, or set TRANCHE_TOKEN to your key or token (in a pod: `kubectl exec -it … -- env TRANCHE_TOKEN=… tranche …`)',
    );
  }

  remember(rows: readonly ListedRow[]): void {
    this.#list.write(rows);
  }

  row(text: string): ListedRow | undefined {
    if (!ROW.test(text)) return undefined;
    const row = this.#list.row(Number(text));
    if (row === undefined)
      throw new UsageError(
        `${text}: the last list of this terminal has no such row; list first, or give merchant/order`,
      );
    return row;
  }

  /** An order: `merchant/order`, a row of the last list, or an id of these lists. */
  order(text: string): OrderRef {
    const row = this.row(text);
    if (row !== undefined) {
      const { merchant, orderId, ...rest } = row;
      if (merchant === undefined || orderId === undefined)
        throw new UsageError(`${text}: that row is about no single order`);
      return { merchant, orderId, ...rest };
    }
    const named = orderNamed(text);
    if (named === undefined)
      throw new UsageError(`${text}: give merchant/order, the number of a row of the last list, or an id of a list`);
    const { merchant, orderId } = named;
    return { merchant, orderId, ...(!text.includes('/') && { id: text }) };
  }
}

function addressOf(
  { operationsUrl, port }: SessionConfig,
  name: string | undefined,
  profile: Profile | undefined,
): Address {
  if (operationsUrl !== undefined) return { url: operationsUrl, from: 'OPERATIONS_URL' };
  if (profile !== undefined) return { url: new URL(profile.url), from: `profile ${name}` };
  return { url: new URL(`http://127.0.0.1:${port}`), from: 'OPERATIONS_URL is not set, this is its default' };
}
