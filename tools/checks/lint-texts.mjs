/**
 * Lints texts as if they stood in given files. stdin: `[{ "filePath", "text", "rule" }]`: the rule that is expected, if any; stdout: for each of them its list of `{ ruleId, message }`.
 * For tests: ESLint's configuration is an ES module, which Jest cannot load.
 */
import { text as readAll } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

// With CI set, typescript-eslint would take the files as they lie on disk instead of these texts.
process.env.TSESTREE_SINGLE_RUN = 'false';

// Rules that ask for types take most of the time: only where such a rule is expected.
const typed = new ESLint();
const untyped = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });
const results = [];
for (const { filePath, text, rule = '' } of JSON.parse(await readAll(process.stdin))) {
  const eslint = rule.startsWith('@typescript-eslint/') ? typed : untyped;
  const [result] = await eslint.lintText(text, { filePath });
  results.push(result.messages.map(({ ruleId, message }) => ({ ruleId, message })));
}
console.log(JSON.stringify(results));
