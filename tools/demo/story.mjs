import { Expected } from '../infra/processes.mjs';
import { partnerAOrder } from './orders.mjs';
import { difference, money } from './timeline.mjs';

/** One order's story: it sends commands, waits for events and checks the result. */
export class Story {
  followed = [];

  constructor({ shop, platform, note, rail, merchant, orderId }) {
    Object.assign(this, { shop, platform, note, rail, merchant, orderId });
  }

  async send(type, fields, options) {
    this.note(`${type} sent${fields.amount === undefined ? '' : `, ${money(fields.amount)}`}`, 'command');
    return this.shop.send(this.rail, type, { merchant: this.merchant, orderId: this.orderId, ...fields }, options);
  }

  /** Skips the client, whose checks would refuse the command. */
  async sendUnchecked(type, fields) {
    this.note(`${type} sent unchecked`, 'command');
    await this.shop.sendUnchecked(this.rail, type, { merchant: this.merchant, orderId: this.orderId, ...fields });
  }

  async next(type, options) {
    const event = await this.shop.next(this.merchant, this.orderId, this.followed, options);
    const seen = [...this.followed.map((one) => one.type), ...(event ? [event.type] : [])];
    must(difference(`events of ${this.orderId}`, [...this.followed.map((one) => one.type), type], seen));
    this.followed.push(event);
    return event;
  }

  async decide(redirected, decision, what) {
    const returnAddress = await this.platform.decide(redirected.data.redirectHtml, decision);
    this.note(what);
    return returnAddress;
  }

  async executes(expected) {
    must(difference('executed by the platform', expected, await this.platform.executed(this.orderId)));
  }

  /** Authorizes by method A up to the cardholder's decision, so that the order can be captured. */
  async authorizeWithMethodA() {
    await this.send('payment.authorize', partnerAOrder(this.orderId));
    await this.decide(
      await this.next('payment.authorize.redirect_required'),
      'validate',
      'the cardholder validates on the form',
    );
    return this.next('payment.authorize.succeeded');
  }

  async calls(operation) {
    return (await this.platform.ledger(this.orderId)).calls.filter((call) => call.operation === operation).length;
  }
}

export const faultCodes = ({ data }) => data.faults?.map(({ code }) => code);

export function must(fault) {
  if (fault) throw new Expected(fault);
}
