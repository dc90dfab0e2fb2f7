/** Keys and passwords of config/*.demo.json and of the tools begin so; the demo's API key ids are nothing but zeros and one letter. */
const DEMO_SECRET = /^demo-/i;
const DEMO_ID = /^0{8}-0{4}-4000-8000-0{11}[0-9a-f]$/i;

/** Whether a secret, or an id that stands for one, is one that everybody knows from this repository. */
export const isDemoValue = (text: string): boolean => DEMO_SECRET.test(text) || DEMO_ID.test(text);

/** `x` of the key in libs/contracts/vectors, whose private half is there too. */
const PUBLISHED_TEST_KEY = 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg';

/** Whether everybody can sign for this public key. */
export const isPublishedTestKey = (publicKey: string): boolean => publicKey === PUBLISHED_TEST_KEY;
