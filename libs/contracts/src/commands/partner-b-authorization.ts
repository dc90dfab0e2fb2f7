import { optionsOf, type PaymentOptionB } from '../methods.js';
import { Nested, NestedList, OneOf, Optional, RequiredByAll, Text } from '../validation/fields.js';
import { Address, InstalmentAuthorization } from './instalment-authorization.js';
import { PartnerBCartItem } from './partner-b-cart-item.js';
import {
  EmailWithoutPlus,
  MAX_CART_ITEMS,
  PersonalText,
  PhoneInternational,
  PublicIpv4,
  SingleLineAddress,
} from './payment-fields.js';

export class PartnerBClient {
  @Text(1, 255)
  userAgent!: string;

  @PublicIpv4()
  ip!: string;

  @Text(1, 128)
  id!: string;

  @EmailWithoutPlus()
  email!: string;
}

abstract class PartnerBAddress extends Address {
  @RequiredByAll()
  @PersonalText(32)
  city?: string;

  @RequiredByAll('mobilePhone')
  @PhoneInternational()
  phone?: string;

  @RequiredByAll('phone')
  @PhoneInternational()
  mobilePhone?: string;
}

export class PartnerBBilling extends PartnerBAddress {
  @RequiredByAll()
  @PersonalText(15)
  lastName?: string;

  @RequiredByAll()
  @SingleLineAddress(38)
  address?: string;
}

export class PartnerBShipping extends PartnerBAddress {
  @Optional()
  @PersonalText(50)
  companyName?: string;

  @RequiredByAll()
  @PersonalText(30)
  lastName?: string;

  @RequiredByAll()
  @PersonalText(38)
  address?: string;
}

/** Data of `payment.authorize` on the rail partner-b (interface, authorization). */
export class PartnerBAuthorization extends InstalmentAuthorization {
  @OneOf(optionsOf('B'))
  paymentOption!: PaymentOptionB;

  @Nested(() => PartnerBClient)
  client!: PartnerBClient;

  @RequiredByAll()
  @Nested(() => PartnerBBilling)
  billing?: PartnerBBilling;

  @RequiredByAll()
  @Nested(() => PartnerBShipping)
  shipping?: PartnerBShipping;

  @RequiredByAll()
  @NestedList(() => PartnerBCartItem, 1, MAX_CART_ITEMS)
  cart?: PartnerBCartItem[];
}
