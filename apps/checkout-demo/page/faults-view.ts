import { byId, make, show } from './elements.js';
import { inEveryLanguage, language, t } from './language.js';
import type { Fault } from './shop-api.js';
import { faultText, type TextKey } from './texts.js';

let shown: { faults: Fault[]; whole?: TextKey } = { faults: [] };

/** Shows each fault beside its field, and a summary above the form that takes the focus and links to the fields. */
export function showFaults(faults: Fault[], whole?: TextKey): void {
  shown = { faults, whole };
  render();
  if (faults.length > 0 || whole !== undefined) byId('form-error').focus();
}

/** Renders again when the method or the delivery changes, because the buyer can't see, and need not mend, a hidden field. */
export function keepFaultsCurrent(): void {
  inEveryLanguage(render);
  byId('checkout').addEventListener('change', render);
  byId('checkout').addEventListener('input', ({ target }) => mended(target as HTMLElement));
}

/** A field that somebody corrects is no longer called wrong. The next press of Pay says if it is right now. */
function mended(field: HTMLElement): void {
  const isOf = ({ path }: Fault) =>
    path === 'method'
      ? field.matches('[name=way], [name^=plan]')
      : (path === 'cart' ? byId('cart') : controlOf(path))?.contains(field) === true;
  const faults = shown.faults.filter((one) => !isOf(one));
  if (faults.length === shown.faults.length) return;
  shown = { ...shown, faults };
  render();
}

const isShown = (control: HTMLElement | null): boolean => control === null || control.closest('[hidden]') === null;

function render(): void {
  const { faults, whole } = shown;
  for (const invalid of document.querySelectorAll('[aria-invalid]')) invalid.removeAttribute('aria-invalid');
  for (const error of document.querySelectorAll<HTMLElement>('.error')) {
    error.textContent = '';
    show(error, false);
  }
  const summary = byId('form-error');
  const placed = faults
    .map((one) => ({ ...one, control: controlOf(one.path), says: faultText(language(), one.path, one.code) }))
    .filter(({ control }) => isShown(control))
    .sort((one, other) => inOrderOfThePage(one.control, other.control));
  for (const { path, control, says } of placed) {
    control?.setAttribute('aria-invalid', 'true');
    for (let at = control; at; at = at.parentElement) if (at.matches('details')) at.setAttribute('open', '');
    if (path === 'cart') byId('cart-toggle').setAttribute('aria-expanded', 'true');
    const error = document.getElementById(`error-${path}`);
    if (error === null) continue;
    error.textContent = says;
    show(error, true);
  }
  const lines = placed.map(({ control, path, says }) =>
    make('li', {}, control === null ? says : linkTo(control, path, says)),
  );
  const list = lines.length > 0 ? [make('ul', { class: 'plain' }, ...lines)] : [];
  const says = make('div', {}, make('p', {}, t(whole ?? 'errors')), ...list);
  // A press of a link ends the field's change. A link that is replaced between the two would not be followed.
  if (summary.textContent !== says.textContent) summary.replaceChildren(says);
  show(summary, lines.length > 0 || whole !== undefined);
}

function inOrderOfThePage(one: HTMLElement | null, other: HTMLElement | null): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

function controlOf(path: string): HTMLElement | null {
  if (path === '') return null;
  if (path === 'method')
    return document.querySelector('input[name=way]:checked') ?? document.querySelector('input[name=way]');
  if (path === 'cart') return document.querySelector('#cart-lines input');
  return document.getElementById(path);
}

/** Moves the focus by script, because following the fragment would change the page's address. */
function linkTo(control: HTMLElement, path: string, says: string): HTMLElement {
  const name = document.querySelector(`label[for="${path}"]`)?.textContent;
  const link = make('a', { href: `#${control.id}` }, name ? t('named', { name, says }) : says);
  link.addEventListener('click', (event) => {
    event.preventDefault();
    control.focus();
  });
  return link;
}
