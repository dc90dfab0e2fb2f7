/**
 * Lints texts as if they stood in given files. stdin: `[{ "filePath", "text" }]`; stdout: for each of them its list of `{ ruleId, message }`.
 * For tests: ESLint's configuration is an ES module, which Jest cannot load.
 */
import { text as readAll } from 'node:stream/consumers';
import { ESLint } from 'eslint';

// With CI set, typescript-eslint would take the files as they lie on disk instead of these texts.
process.env.TSESTREE_SINGLE_RUN = 'false';

const eslint = new ESLint();
const results = [];
for (const { filePath, text } of JSON.parse(await readAll(process.stdin))) {
  const [result] = await eslint.lintText(text, { filePath });
  results.push(result.messages.map(({ ruleId, message }) => ({ ruleId, message })));
}
console.log(JSON.stringify(results));
