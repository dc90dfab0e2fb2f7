import { TITLES, type Title } from '../platform/enums.js';
import { OneOf, Optional, RequiredByAll, Text } from '../validation/fields.js';
import { PaymentCommand } from './order-command.js';
import { Country, FreeField, Percentage, PersonalText, ReturnPageName, SellerId } from './payment-fields.js';

/** What the two methods share; their own classes add the fields whose limits differ. */
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

  /** Of the merchant's `returnPages`: where the cardholder's browser goes on to after the form; absent: `pageUrl`. */
  @Optional()
  @ReturnPageName()
  returnPage?: string;
}

/** Of billing and shipping alike. */
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
  discount?: string;

  @Optional()
  @Percentage()
  tax?: string;

  @Optional()
  @SellerId()
  subMerchantExternalId?: string;
}
