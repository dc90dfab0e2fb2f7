import { IsOptional, Matches } from 'class-validator';
import { Env, Secret } from '@tranche/service-kit';

/** Settings of the commands that ask operations. In its own pod they need none of them to read. */
export class SessionConfig {
  @Env('OPERATIONS_URL', {
    doc: 'base URL of operations; without it that of the profile, else this machine at `PORT`',
    optional: true,
    fromFile: true,
    protocols: ['http', 'https'],
  })
  operationsUrl?: URL;

  @Env('PORT', { doc: 'in a pod of operations: where it listens', default: 4060 })
  port: number;

  @Env('TRANCHE_TOKEN', {
    doc: "the person's key or token; goes before that of the profile. Programs read it from a file: `TRANCHE_TOKEN_FILE`",
    optional: true,
  })
  token?: Secret;

  @Env('TRANCHE_PROFILE', { doc: 'profile of `tranche login`; without it the one in use', optional: true })
  @IsOptional()
  @Matches(/^[\w.-]{1,64}$/, { message: 'must be the name of a profile' })
  profile?: string;

  @Env('GATEWAY_KEY', {
    doc: 'in a pod of operations: its own key, with which it may be read where nobody has signed in',
    optional: true,
  })
  gatewayKey?: Secret;

  @Env('TOPICS', { doc: '`check` means production where no profile says so', optional: true })
  topics?: string;

  @Env('SIMULATOR_URL', {
    doc: 'base URL of the simulator for `tranche sim` and `tranche drill`, and for development only',
    default: 'http://127.0.0.1:4010',
    protocols: ['http', 'https'],
  })
  simulatorUrl: URL;
}
