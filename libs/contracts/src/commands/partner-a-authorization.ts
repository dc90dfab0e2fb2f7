import { optionsOf, type PaymentOptionA } from '../methods.js';
import { CalendarDate, Int, Nested, NestedList, OneOf, Optional, RequiredByAll, Text } from '../validation/fields.js';
import { Address, CartItem, InstalmentAuthorization } from './instalment-authorization.js';
import { Email, MAX_CART_ITEMS, PersonalText, PhoneE164, PublicIpv4, SingleLineAddress } from './payment-fields.js';

export class PartnerAClient {
  @Text(1, 255)
  userAgent!: string;

  @PublicIpv4()
  ip!: string;

  @Text(1, 255)
  id!: string;

  @Email()
  email!: string;

  @Optional()
  @CalendarDate()
  birthDate?: string;
}

abstract class PartnerAAddress extends Address {
  @RequiredByAll()
  @PersonalText(255)
  city?: string;

  @RequiredByAll('mobilePhone')
  @PhoneE164()
  phone?: string;

  @RequiredByAll('phone')
  @PhoneE164()
  mobilePhone?: string;
}

export class PartnerABilling extends PartnerAAddress {
  @RequiredByAll()
  @PersonalText(15)
  lastName?: string;

  @RequiredByAll()
  @SingleLineAddress(50)
  address?: string;
}

export class PartnerAShipping extends PartnerAAddress {
  @Optional()
  @PersonalText(50)
  companyName?: string;

  @RequiredByAll()
  @PersonalText(30)
  lastName?: string;

  @RequiredByAll()
  @PersonalText(50)
  address?: string;
}

/** Method A has only these fields of a cart item (interface, Cart item). */
export class PartnerACartItem extends CartItem {
  @RequiredByAll()
  @Int(0)
  totalAmount?: number;
}

/** Data of `payment.authorize` on the rail partner-a (interface, authorization). */
export class PartnerAAuthorization extends InstalmentAuthorization {
  @OneOf(optionsOf('A'))
  paymentOption!: PaymentOptionA;

  @Optional()
  @Text(0, 20)
  prescoringCode?: string;

  @Nested(() => PartnerAClient)
  client!: PartnerAClient;

  @RequiredByAll()
  @Nested(() => PartnerABilling)
  billing?: PartnerABilling;

  @RequiredByAll()
  @Nested(() => PartnerAShipping)
  shipping?: PartnerAShipping;

  @RequiredByAll()
  @NestedList(() => PartnerACartItem, 1, MAX_CART_ITEMS)
  cart?: PartnerACartItem[];
}
