import { cardName } from './card-entry.js';
import { articleLine, articleName, sumRows } from './cart-view.js';
import { byId, make, show } from './elements.js';
import { dateText, price, t } from './language.js';
import { orderNumber } from './order-number.js';
import { methodName, scheduleOf } from './method-view.js';
import type { Method } from './shop-api.js';
import type { OrderView } from './views.js';

/** Shows what was ordered, how it is paid and, for instalments, when. Before a success the dates are not certain, so they are left out. */
export function showReceipt(order: OrderView, methods: readonly Method[]): void {
  const { orderId, amount, items, placedAt, card, refunded = 0, status } = order;
  byId('order-items').replaceChildren(
    ...items.map(({ sku, quantity, price: each }) =>
      articleLine(
        sku,
        make('span', {}, `${quantity} × ${articleName(sku)}`),
        make('span', { class: 'amount' }, price(each * quantity)),
      ),
    ),
  );
  byId('order-sums').replaceChildren(...sumRows(amount, refunded > 0 ? [[t('refunded'), price(-refunded)]] : []));
  byId('order-id').textContent = orderNumber(orderId);
  byId('order-id').setAttribute('value', orderId);
  byId('order-placed').textContent = dateText(new Date(placedAt), { dateStyle: 'medium', timeStyle: 'short' });
  const method = methods.find(({ id }) => id === order.method);
  byId('order-method').textContent = [method && methodName(method), card && cardName(card)].filter(Boolean).join(' · ');
  const isPlan = method !== undefined && method.instalments > 1 && status === 'succeeded';
  byId('schedule').replaceChildren(...(isPlan ? rates(method, amount, new Date(placedAt)) : []));
  for (const id of ['schedule-dates', 'schedule-title']) show(byId(id), isPlan);
  show(byId('order'), true);
}

function rates(method: Method, amount: number, from: Date): HTMLElement[] {
  return scheduleOf(method, amount, from).map(({ day, part }) =>
    make(
      'li',
      {},
      make('span', {}, dateText(day, { dateStyle: 'medium' })),
      make('span', { class: 'amount' }, price(part)),
    ),
  );
}
