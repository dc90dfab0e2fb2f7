import { IsDefined, IsString, Length, ValidateIf } from 'class-validator';

const API_KEY_ID_LENGTH = 36;
const MAX_KEY_ID_LENGTH = 255;

/** Body of POST /v1/cse-keys. A field's decorators apply from last to first, up to the first fault. */
export class KeyRequest {
  @Length(API_KEY_ID_LENGTH, API_KEY_ID_LENGTH, { message: `must have ${API_KEY_ID_LENGTH} characters` })
  @IsString({ message: 'must be a text' })
  @IsDefined({ message: 'is required' })
  apiKeyId: string;

  /** Id of a key that a tokenizer refused. */
  @Length(1, MAX_KEY_ID_LENGTH, { message: `must have 1 to ${MAX_KEY_ID_LENGTH} characters` })
  @IsString({ message: 'must be a text' })
  @ValidateIf((_, refused) => refused !== undefined)
  refused?: string;
}
