import { cardName } from './card-entry.js';
import { articleName } from './cart-view.js';
import { byId, make, show } from './elements.js';
import { decimal, price, t } from './language.js';
import { minorUnits } from './money.js';
import { orderNumber } from './order-number.js';
import { ask, Refusal } from './shop-api.js';
import {
  REFUND_REASONS,
  type DeskView,
  type FollowUpKind,
  type Possible,
  type RefundReason,
  type Returned,
} from './views.js';

interface Wanted {
  amount: number;
  items?: Returned[];
  reason?: RefundReason;
}

/** Tells what is chosen so far: a whole operation, or why it is none yet. */
interface Choice {
  wanted?: Wanted;
  fault?: string;
}

/** People choose what is to be done, then see it once more with its amount: none of it can be taken back. */
export function openOperation(
  sale: DeskView,
  { operation, most }: Possible,
  onDone: (latest: DeskView) => void,
  onClose: () => void,
): void {
  const dialog = byId<HTMLDialogElement>('operation');
  const { fields, read } = FIELDS[operation](sale, most);
  const check = make('div', { class: 'check', tabindex: '-1' });
  const error = make('p', { class: 'error', id: 'operation-error', role: 'alert' });
  const back = make('button', { type: 'button', 'data-testid': 'operation-back' });
  const go = make('button', { class: 'strong', 'data-testid': 'operation-go' });
  const title = make('h2', { id: 'operation-title' }, `${t(`operation.${operation}`)} · ${orderNumber(sale.orderId)}`);
  const actions = make('p', { class: 'actions' }, back, go);
  const form = make('form', { novalidate: true }, title, fields, check, error, actions);
  const isOnlyCheck = operation === 'void';
  let isChecking = isOnlyCheck;
  const render = () => {
    const { wanted, fault = '' } = read();
    show(fields, !isChecking);
    show(check, isChecking);
    if (wanted && isChecking) check.replaceChildren(...summaryOf(sale, operation, wanted));
    error.textContent = fault;
    go.disabled = wanted === undefined;
    go.textContent = wanted === undefined ? t(`desk.ask.${operation}`) : buttonText(operation, wanted, isChecking);
    back.textContent = t(isChecking && !isOnlyCheck ? 'desk.back' : 'desk.close');
  };
  const turn = (checking: boolean) => {
    isChecking = checking;
    render();
    (checking ? check : fields.querySelector<HTMLElement>('input'))?.focus();
  };
  form.addEventListener('input', render);
  back.addEventListener('click', () => (isChecking && !isOnlyCheck ? turn(false) : dialog.close()));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { wanted } = read();
    if (wanted === undefined) return;
    if (!isChecking) return turn(true);
    go.disabled = true;
    operate(sale, operation, wanted).then(
      (latest) => {
        onDone(latest);
        dialog.close();
      },
      (failure: unknown) => {
        const isChanged = failure instanceof Refusal && [400, 409].includes(failure.status);
        error.textContent = t(isChanged ? 'desk.changed' : 'failed.unavailable');
        go.disabled = isChanged;
      },
    );
  });
  dialog.onclose = onClose;
  dialog.replaceChildren(form);
  render();
  dialog.showModal();
}

/** The number makes a second press the same operation. */
const operate = ({ orderId, next }: DeskView, operation: FollowUpKind, wanted: Wanted): Promise<DeskView> =>
  ask<DeskView>(`/desk/orders/${encodeURIComponent(orderId)}/operations`, { operation, ...wanted, number: next });

function buttonText(operation: FollowUpKind, { amount }: Wanted, isChecking: boolean): string {
  return t(`desk.${operation}`, { amount: price(amount) }) + (isChecking ? '' : '…');
}

function summaryOf({ customer, card, items }: DeskView, operation: FollowUpKind, wanted: Wanted): HTMLElement[] {
  const lines = (wanted.items ?? []).map(({ sku, quantity }) => {
    const each = items.find((item) => item.sku === sku)?.price ?? 0;
    return t('named', { name: `${quantity} × ${articleName(sku)}`, says: price(each * quantity) });
  });
  const to = [customer?.name, card && cardName(card)].filter(Boolean).join(' · ');
  const reason = wanted.reason && t('named', { name: t('desk.reason'), says: t(`reason.${wanted.reason}`) });
  const texts = [to, ...lines, reason, t(operation === 'void' ? 'desk.cancelNote' : 'desk.final')];
  return [
    make('p', { class: 'sum amount' }, price(wanted.amount)),
    ...texts.filter(Boolean).map((text) => make('p', {}, text ?? '')),
  ];
}

type Fields = (sale: DeskView, most: number) => { fields: HTMLElement; read: () => Choice };

const FIELDS: Record<FollowUpKind, Fields> = {
  void: ({ amount }) => ({ fields: make('div'), read: () => ({ wanted: { amount } }) }),
  capture: (_sale, most) => {
    const { field, read } = amountField(most, decimal(most));
    return { fields: make('div', {}, field, make('p', { class: 'note' }, t('desk.once'))), read };
  },
  refund: refundFields,
};

function amountField(most: number, value = '') {
  const id = 'operation-amount';
  const attributes = { id, inputmode: 'decimal', autocomplete: 'off', 'aria-describedby': 'operation-error' };
  const input = make('input', { ...attributes, 'data-testid': id, value });
  const read = (): Choice => {
    const amount = minorUnits(input.value);
    const isRight = amount !== undefined && amount > 0 && amount <= most;
    const isWrong = !isRight && input.value !== '';
    input.setAttribute('aria-invalid', String(isWrong));
    if (isRight) return { wanted: { amount } };
    return isWrong ? { fault: t('desk.range', { min: price(1), max: price(most) }) } : {};
  };
  return { field: make('div', { class: 'field' }, make('label', { for: id }, t('desk.amount')), input), read };
}

/** By articles, at the price that was paid, or by an amount; always with a reason. */
function refundFields({ items }: DeskView, most: number): { fields: HTMLElement; read: () => Choice } {
  const rows = items.filter(({ left }) => left > 0).map(articleRow);
  const amount = amountField(most);
  const articles = make('div', {}, ...rows.map(({ row }) => row));
  const byArticles = modeOf('articles', t('desk.byArticles'), rows.length > 0);
  const byAmount = modeOf('amount', t('desk.byAmount'), rows.length === 0);
  const options = REFUND_REASONS.map((value) => make('option', { value }, t(`reason.${value}`)));
  const reason = make('select', { id: 'refund-reason', 'data-testid': 'refund-reason' });
  reason.append(make('option', { value: '' }, t('desk.choose')), ...options);
  const ofReason = make('div', { class: 'field' }, make('label', { for: reason.id }, t('desk.reason')), reason);
  const modes = make('div', { class: 'modes' }, byArticles.element, byAmount.element);
  const read = (): Choice => {
    const isByArticles = byArticles.radio.checked;
    show(articles, isByArticles);
    show(amount.field, !isByArticles);
    const { wanted, fault } = isByArticles ? ofRows(rows, most) : amount.read();
    const why = REFUND_REASONS.find((one) => one === reason.value);
    return wanted && why ? { wanted: { ...wanted, reason: why } } : { fault };
  };
  const fields = make('div', {}, ...(rows.length > 0 ? [modes, articles] : []), amount.field, ofReason);
  return { fields, read };
}

function modeOf(value: string, name: string, checked: boolean) {
  const id = `refund-by-${value}`;
  const radio = make('input', { type: 'radio', name: 'mode', id, 'data-testid': id, checked });
  return { radio, element: make('div', { class: 'choice' }, radio, make('label', { for: id }, name)) };
}

type Row = ReturnType<typeof articleRow>;

function articleRow({ sku, price: each, left }: DeskView['items'][number]) {
  const id = `refund-${sku}`;
  const choices = Array.from({ length: left + 1 }, (_, count) =>
    make('option', { value: String(count) }, String(count)),
  );
  const select = make('select', { id, 'data-testid': id }, ...choices);
  const name = make('label', { for: id }, articleName(sku));
  const hint = make('span', { class: 'hint' }, t('desk.left', { price: price(each), left: String(left) }));
  return { sku, each, select, row: make('div', { class: 'returned' }, make('span', {}, name, hint), select) };
}

function ofRows(rows: readonly Row[], most: number): Choice {
  const chosen = rows.map(({ sku, each, select }) => ({ sku, each, quantity: Number(select.value) }));
  const amount = chosen.reduce((sum, { each, quantity }) => sum + each * quantity, 0);
  if (amount > most) return { fault: t('desk.tooMuch', { most: price(most) }) };
  const items = chosen.filter(({ quantity }) => quantity > 0).map(({ sku, quantity }) => ({ sku, quantity }));
  return items.length === 0 ? {} : { wanted: { amount, items } };
}
