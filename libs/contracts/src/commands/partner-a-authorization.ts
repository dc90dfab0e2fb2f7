import { optionsOf, type PaymentOptionA } from '../methods.js';
import { TITLES, type Title } from '../platform/enums.js';
import {
  Amount,
  CalendarDate,
  Int,
  Nested,
  NestedList,
  OneOf,
  Optional,
  RequiredByAll,
  Text,
  Timestamp,
} from '../validation/fields.js';
import {
  CommandId,
  Country,
  Currency,
  Description,
  Email,
  FreeField,
  MerchantName,
  OrderId,
  Percentage,
  PersonalText,
  PhoneE164,
  PublicIpv4,
  ReturnPageName,
  SellerId,
  SingleLineAddress,
  MAX_CART_ITEMS,
} from './payment-fields.js';

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

export class PartnerABilling {
  @Optional()
  @OneOf(TITLES)
  title?: Title;

  @RequiredByAll()
  @PersonalText(15)
  firstName?: string;

  @RequiredByAll()
  @PersonalText(15)
  lastName?: string;

  @RequiredByAll()
  @SingleLineAddress(50)
  address?: string;

  @RequiredByAll()
  @Text(1, 9)
  postalCode?: string;

  @RequiredByAll()
  @PersonalText(255)
  city?: string;

  @RequiredByAll()
  @Country()
  country?: string;

  @RequiredByAll('mobilePhone')
  @PhoneE164()
  phone?: string;

  @RequiredByAll('phone')
  @PhoneE164()
  mobilePhone?: string;
}

export class PartnerAShipping {
  @Optional()
  @PersonalText(50)
  companyName?: string;

  @Optional()
  @OneOf(TITLES)
  title?: Title;

  @RequiredByAll()
  @PersonalText(15)
  firstName?: string;

  @RequiredByAll()
  @PersonalText(30)
  lastName?: string;

  @RequiredByAll()
  @PersonalText(50)
  address?: string;

  @RequiredByAll()
  @Text(1, 9)
  postalCode?: string;

  @RequiredByAll()
  @PersonalText(255)
  city?: string;

  @RequiredByAll()
  @Country()
  country?: string;

  @RequiredByAll('mobilePhone')
  @PhoneE164()
  phone?: string;

  @RequiredByAll('phone')
  @PhoneE164()
  mobilePhone?: string;
}

/** Method A takes only these fields of a cart item. */
export class PartnerACartItem {
  @RequiredByAll()
  @Int(0)
  totalAmount?: number;

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

/** `payment.authorize` on the rail partner-a. */
export class PartnerAAuthorization {
  @MerchantName()
  merchant!: string;

  @OrderId()
  orderId!: string;

  @Amount()
  amount!: number;

  @OneOf(optionsOf('A'))
  paymentOption!: PaymentOptionA;

  @Description()
  description!: string;

  @Optional()
  @FreeField()
  extraData?: string;

  @Optional()
  @FreeField()
  metadata?: string;

  @Optional()
  @Text(36, 36)
  apiKeyId?: string;

  /** ISO 4217, one of the merchant's; absent: its first. */
  @Optional()
  @Currency()
  currency?: string;

  /** Of the merchant's `returnPages`: where the cardholder's browser goes on to after the form; absent: `pageUrl`. */
  @Optional()
  @ReturnPageName()
  returnPage?: string;

  /** Id of the authorize command whose redirect this one replaces. */
  @Optional()
  @CommandId()
  supersedes?: string;

  @Optional()
  @Timestamp()
  notAfter?: string;

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
