import { IsDefined, IsString, Length, Matches, ValidateIf } from 'class-validator';

/** Body of POST /v1/tokens. A field's decorators apply from last to first, up to the first fault. */
export class TokenRequest {
  @Length(1, 64, { message: 'must have 1 to 64 characters' })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is missing' })
  account: string;

  /** Fingerprint of a refused token. */
  @Matches(/^[\w-]{1,64}$/, { message: 'must be a fingerprint' })
  @IsString({ message: 'must be a text' })
  @ValidateIf((_, refused) => refused !== undefined)
  refused?: string;
}
