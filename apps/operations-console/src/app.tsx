import { useQueryClient } from '@tanstack/react-query';
import { Component, lazy, Suspense, useCallback, useState, type ComponentType, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useMe } from './api/console.js';
import { useAttention } from './api/reads.js';
import { LiveLine, useLive } from './live/live.js';
import { useTheme } from './parts/hooks.js';
import { KEYS, useKeyboard } from './parts/keyboard.js';
import { Dialog, Empty, Loading } from './parts/parts.js';
import { PAGES, type Path } from './listed-pages.js';
import { Queue } from './queue/queue.js';
import { signOut, useToken } from './session.js';
import { SignIn } from './sign-in.js';
import { zone } from './text/format.js';

/** A page that is loaded when somebody goes there. */
const page = <T extends string>(load: () => Promise<Record<T, ComponentType>>, name: T) =>
  lazy(async () => ({ default: (await load())[name] }));

const Overview = page(() => import('./pages/overview.js'), 'Overview');
const Jobs = page(() => import('./pages/jobs.js'), 'Jobs');
const JobPage = lazy(async () => ({ default: (await import('./pages/jobs.js')).JobPage }));
const Order = lazy(async () => ({ default: (await import('./order/order.js')).Order }));
const Search = page(() => import('./pages/search.js'), 'Search');
const Approvals = page(() => import('./pages/approvals.js'), 'Approvals');
const DeadLetters = page(() => import('./pages/lists.js'), 'DeadLetters');
const Quarantine = page(() => import('./pages/lists.js'), 'Quarantine');
const Audit = page(() => import('./pages/lists.js'), 'Audit');
const Rails = page(() => import('./pages/rails.js'), 'Rails');

const SHOWN: Readonly<Record<Path, ComponentType>> = {
  '/': Queue,
  '/overview': Overview,
  '/approvals': Approvals,
  '/search': Search,
  '/rails': Rails,
  '/dead-letters': DeadLetters,
  '/quarantine': Quarantine,
  '/jobs': Jobs,
  '/audit': Audit,
};
/** These stand at the foot of a phone's screen; the others are behind "More". */
const ON_PHONE = 4;

/** Shows the heading of a page while its code is loaded: a screen reader needs one at every moment. */
function Coming({ location }: { location: string }) {
  const { name } = PAGES.find(({ path }) => path === location) ?? {};
  return (
    <>
      <h1>{name ?? (location.startsWith('/jobs/') ? 'Job' : 'Order')}</h1>
      <Loading what="the page" />
    </>
  );
}

export function App() {
  const token = useToken();
  const [location, go] = useLocation();
  const [theme, nextTheme] = useTheme();
  const [shows, setShows] = useState<'keys' | 'pages'>();
  const help = useCallback(() => setShows('keys'), []);
  useKeyboard({ go, help, theme: nextTheme });
  if (token === undefined) return <SignIn />;
  const close = () => setShows(undefined);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className="bar">
        <Link href="/" className="brand">
          <img src="/mark.svg" alt="" width="24" height="24" /> Tranche <span>operations</span>
        </Link>
        <LiveMark />
        <Who />
        <button type="button" className="plain" onClick={nextTheme} title="Light, dark, or as the system (t)">
          {theme === 'system' ? 'Auto' : theme === 'light' ? 'Light' : 'Dark'}
        </button>
        <button type="button" className="plain keys-button" onClick={help} title="Keys (?)" aria-label="Keys">
          ?
        </button>
      </header>
      <Navigation onMore={() => setShows('pages')} />
      <main id="main" tabIndex={-1}>
        <LiveLine />
        <Boundary key={location}>
          <Suspense fallback={<Coming location={location} />}>
            <Page />
          </Suspense>
        </Boundary>
        <footer>Times are in {zone()}. Press ? for keys.</footer>
      </main>
      {shows === 'keys' && (
        <Dialog title="Keys" onClose={close}>
          <dl className="keys">
            {KEYS.map(([key, does]) => (
              <div key={key}>
                <dt>
                  {key
                    .split(' ')
                    .filter(Boolean)
                    .map((one) => (
                      <kbd key={one}>{one}</kbd>
                    ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
      {shows === 'pages' && (
        <Dialog title="Pages" onClose={close}>
          <ul className="pages">
            {PAGES.map(({ path, name }) => (
              <li key={path}>
                <Link href={path} onClick={close}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}

/** The page of the address. An order's number may have any character, so the address is read as it is and not as the router has it. */
function Page() {
  const { pathname } = window.location;
  const [, merchant, orderId] = /^\/orders\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
  if (merchant !== undefined && orderId !== undefined)
    return <Order merchant={decodeURIComponent(merchant)} orderId={decodeURIComponent(orderId)} />;
  const [, job] = /^\/jobs\/([^/]+)$/.exec(pathname) ?? [];
  if (job !== undefined) return <JobPage id={decodeURIComponent(job)} />;
  const found = PAGES.find(({ path }) => path === pathname);
  const Found = found && SHOWN[found.path];
  return Found === undefined ? <Empty>There is no such page.</Empty> : <Found />;
}

function Navigation({ onMore }: { onMore: () => void }) {
  const [location] = useLocation();
  const { data } = useAttention({});
  const counts = data?.counts ?? [];
  const numberOf = (kinds: readonly string[] = []) =>
    counts.reduce((sum, { kind, number }) => (kinds.includes(kind) ? sum + number : sum), 0);
  return (
    <nav aria-label="Pages">
      {PAGES.map(({ path, name, icon, kinds }, index) => {
        const number = numberOf(kinds);
        return (
          <Link
            key={path}
            href={path}
            data-extra={index >= ON_PHONE}
            aria-current={location === path ? 'page' : undefined}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={icon} />
            </svg>
            <span>{name}</span>
            {number > 0 && <b>{number > 999 ? '999+' : number}</b>}
          </Link>
        );
      })}
      <button type="button" className="plain nav-more" onClick={onMore}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 12h.01M12 12h.01M19 12h.01" />
        </svg>
        <span>More</span>
      </button>
    </nav>
  );
}

function LiveMark() {
  const { link, behind, isDatabaseThere, isGatewayThere } = useLive();
  const isWhole = isDatabaseThere && isGatewayThere;
  const isWell = link === 'live' && behind === 0 && isWhole;
  const says =
    link === 'live' ? (isWell ? 'Live' : isWhole ? 'Behind' : 'In part') : link === 'lost' ? 'Cut off' : 'Connecting';
  return (
    <span className="live-mark" data-link={isWell ? 'live' : link === 'connecting' ? link : 'lost'}>
      {says}
    </span>
  );
}

function Who() {
  const { data } = useMe();
  const queries = useQueryClient();
  const leave = () => {
    signOut();
    queries.clear();
  };
  return (
    <span className="who">
      {data && (
        <span title={data.merchants === undefined ? 'All merchants' : data.merchants.join(', ')}>
          {data.person} <small>{data.role}</small>
        </span>
      )}
      <button type="button" className="plain" onClick={leave}>
        Sign out
      </button>
    </span>
  );
}

/** A fault of one page leaves the others; after a release the parts of an open page may be gone. */
class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="state failed" role="alert">
        <strong>This page could not be shown: {this.state.error.message}</strong>
        <button type="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </div>
    );
  }
}
