/** Prefix of keys and passwords in config/*.demo.json and in the tools. The demo's API key ids consist of zeros and one letter. */
const DEMO_SECRET = /^demo-/i;
const DEMO_ID = /^0{8}-0{4}-4000-8000-0{11}[0-9a-f]$/i;

/** True if the secret, or the id of one, is published in this repository. */
export const isDemoValue = (text: string): boolean => DEMO_SECRET.test(text) || DEMO_ID.test(text);

/** `x` of the key in libs/contracts/vectors; its private half is published there too. */
const PUBLISHED_TEST_KEY = 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg';

/** True if the private half of this key is published, so that everybody can sign with it. */
export const isPublishedTestKey = (publicKey: string): boolean => publicKey === PUBLISHED_TEST_KEY;
