import listed from './pages.json' with { type: 'json' };

export type Path = keyof typeof listed;
interface ListedPage {
  readonly name: string;
  /** Pressed after g, leads there. */
  readonly key?: string;
  /** Path of its SVG in the navigation. */
  readonly icon: string;
  /** Entries of the queue that the navigation counts beside it. */
  readonly kinds?: readonly string[];
}

/** The pages in the order of the navigation. The build also puts their paths beside index.html, so that operations answers a reload with the page. */
export const PAGES = Object.entries<ListedPage>(listed).map(([path, page]) => ({ path: path as Path, ...page }));
