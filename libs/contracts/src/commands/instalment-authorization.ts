import { TITLES, type Title } from '../platform/enums.js';
import { OneOf, Optional, RequiredByAll, Text } from '../validation/fields.js';
import { PaymentCommand } from './order-command.js';
import { Country, FreeField, Percentage, PersonalText, ReturnPageName, SellerId } from './payment-fields.js';

/** Common fields of methods A and B. Fields with limits that differ are in the methods' own classes. */
export abstract class InstalmentAuthorization extends PaymentCommand {
  @Optional()
  @FreeField()
  extraData?: string;

  @Optional()
  @FreeField()
  metadata?: string;

  @Optional()
  @Text(36, 36)
  apiKeyId?: string;

  /** Name of one of the merchant's `returnPages`, the cardholder's destination after the form. Default: `pageUrl`. */
  @Optional()
  @ReturnPageName()
  returnPage?: string;
}

/** Common fields of billing and shipping. */
export abstract class Address {
  @Optional()
  @OneOf(TITLES)
  title?: Title;

  @RequiredByAll()
  @PersonalText(15)
  firstName?: string;

  @RequiredByAll()
  @Text(1, 9)
  postalCode?: string;

  @RequiredByAll()
  @Country()
  country?: string;
}

export abstract class CartItem {
  @Optional()
  @Percentage()
  discount?: string | number;

  @Optional()
  @Percentage()
  tax?: string | number;

  @Optional()
  @SellerId()
  subMerchantExternalId?: string;
}
