import { TITLES, type Title } from '../platform/enums.js';
import { Doc } from '../validation/doc.js';
import { OneOf, Optional, RequiredByAll, Text } from '../validation/fields.js';
import { PaymentCommand } from './order-command.js';
import { Country, ExtraData, FreeField, Percentage, PersonalText, ReturnPageName } from '../payment-fields.js';

/** Common fields of methods A and B. Fields with limits that differ are in the methods' own classes. */
export abstract class InstalmentAuthorization extends PaymentCommand {
  @ExtraData()
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
abstract class Address {
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

/** The fields of an address whose limits differ by method, but not between billing and shipping. */
export function addressWith(cityCharacters: number, Phone: () => PropertyDecorator) {
  abstract class AddressOfMethod extends Address {
    @Doc('BILLINGCITY or SHIPTOCITY: city of the address.', 'Paris')
    @RequiredByAll()
    @PersonalText(cityCharacters)
    city?: string;

    @Doc(
      'BILLINGPHONE or SHIPTOPHONE: phone with + and country code. Merchants with requirements all need it or mobilePhone.',
      '+33140000000',
    )
    @RequiredByAll('mobilePhone')
    @Phone()
    phone?: string;

    @Doc(
      'BILLINGMOBILEPHONE or SHIPTOMOBILEPHONE: mobile phone with + and country code. Merchants with requirements all need it or phone.',
      '+33612345678',
    )
    @RequiredByAll('phone')
    @Phone()
    mobilePhone?: string;
  }
  return AddressOfMethod;
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
  @Text(1, 255)
  subMerchantExternalId?: string;
}
