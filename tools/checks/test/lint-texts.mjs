/**
 * Lints texts as if they were in given files. stdin is `[{ "filePath", "text", "rule" }]`, with the expected rule if any; stdout is a list
 * of `{ ruleId, message }` for each. It runs as a process for tests: ESLint's configuration is an ES module, which Jest cannot load.
 */
import { text as readAll } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

// With CI set, typescript-eslint would read the files on disk instead of these texts.
process.env.TSESTREE_SINGLE_RUN = 'false';

// Typed rules take most of the time, so they run only if such a rule is expected.
const typed = new ESLint();
const untyped = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });
const results = [];
for (const { filePath, text, rule = '' } of JSON.parse(await readAll(process.stdin))) {
  const eslint = rule.startsWith('@typescript-eslint/') ? typed : untyped;
  const [result] = await eslint.lintText(text, { filePath });
  results.push(result.messages.map(({ ruleId, message }) => ({ ruleId, message })));
}
console.log(JSON.stringify(results));
