type CardEncryption = typeof import('@tranche/card-encryption');

/** The shop serves the package beside the page, because a browser cannot resolve its name in node_modules. */
const ADDRESS = '/card-encryption/index.js';

export const cardLibrary = (): Promise<CardEncryption> => import(ADDRESS) as Promise<CardEncryption>;
