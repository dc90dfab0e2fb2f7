import { TITLES, type Title } from '../platform/enums.js';
import { Doc } from '../validation/doc.js';
import { OneOf, Optional, RequiredByAll, Text } from '../validation/fields.js';
import { PaymentCommand } from './order-command.js';
import { Country, FreeField, Percentage, PersonalText, ReturnPageName, SellerId } from './payment-fields.js';

/** Common fields of methods A and B. Fields with limits that differ are in the methods' own classes. */
export abstract class InstalmentAuthorization extends PaymentCommand {
  @Doc(
    'EXTRADATA: text of the shop that its events and notifications return unchanged. The gateway appends a tag of its own, for which up to 231 characters leave room.',
    'basket=42',
  )
  @Optional()
  @FreeField()
  extraData?: string;

  @Doc('METADATA: further data about the authorization for the platform. It is not returned.', 'channel=web')
  @Optional()
  @FreeField()
  metadata?: string;

  @Doc(
    "APIKEYID: id of the merchant's private API key that computes HASH. Default: the key of the account.",
    '00000000-0000-4000-8000-000000000001',
  )
  @Optional()
  @Text(36, 36)
  apiKeyId?: string;

  @Doc(
    "Name of one of the merchant's returnPages, to which the cardholder goes after the provider's form. Default: pageUrl of the merchant.",
    'checkout',
  )
  @Optional()
  @ReturnPageName()
  returnPage?: string;
}

/** Common fields of billing and shipping. */
export abstract class Address {
  @Doc('BILLINGTITLE or SHIPTOTITLE: form of address.', 'mrs')
  @Optional()
  @OneOf(TITLES)
  title?: Title;

  @Doc('BILLINGFIRSTNAME or SHIPTOFIRSTNAME: first name of the person.', 'Jeanne')
  @RequiredByAll()
  @PersonalText(15)
  firstName?: string;

  @Doc('BILLINGPOSTALCODE or SHIPTOPOSTALCODE: postal code of the address.', '75011')
  @RequiredByAll()
  @Text(1, 9)
  postalCode?: string;

  @Doc('BILLINGCOUNTRY or SHIPTOCOUNTRY: ISO 3166-1 alpha-2 code in capitals.', 'FR')
  @RequiredByAll()
  @Country()
  country?: string;
}

export abstract class CartItem {
  @Doc(
    'DISCOUNT: percentage taken off the price, as a number or as a text with a dot; at most 6 decimals are sent.',
    '10.5',
  )
  @Optional()
  @Percentage()
  discount?: string | number;

  @Doc(
    'TAX: percentage of tax within the price, as a number or as a text with a dot; at most 6 decimals are sent.',
    '20',
  )
  @Optional()
  @Percentage()
  tax?: string | number;

  @Doc(
    'SUBMERCHANTEXTERNALID: account of the seller in a marketplace; OPERATOR if the marketplace sells the item itself.',
    'OPERATOR',
  )
  @Optional()
  @SellerId()
  subMerchantExternalId?: string;
}
