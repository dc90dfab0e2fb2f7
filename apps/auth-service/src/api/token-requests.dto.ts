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

/** Body of POST /v1/user-tokens with the user's own credentials. */
export class UserTokenRequest {
  @Length(1, 64, { message: 'must have 1 to 64 characters' })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is missing' })
  account: string;

  @Length(1, 255, { message: 'must have 1 to 255 characters' })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is missing' })
  username: string;

  @Length(1, 1_024, { message: 'must have 1 to 1,024 characters' })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is missing' })
  password: string;
}
