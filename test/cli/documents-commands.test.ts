import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArgv } from '../../lib/cli/parse-argv.ts';
import { parseConfig } from '../../lib/config/load-config.ts';
import { readPlanFile } from '../../lib/config/plan-file.ts';
import { readDecisionsFile } from '../../lib/config/read-decisions-file.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { commandsInBlocks, commandsInSentences, fences, listDocuments } from '../support/documents.ts';

// What the documents show is what the program reads. Those whose commands are run: test/e2e/tutorial.

test('each git flame command in a block of a document parses', () => {
  const shown = listDocuments().flatMap((path) =>
    commandsInBlocks(readFileSync(path, 'utf8')).map((argv) => ({ path, argv })),
  );
  assert.ok(shown.length > 25, `${shown.length} commands were found`);
  assert.equal(shown.flatMap(refusalOf), []);
});

test('each git flame command in a sentence of a document names what there is', () => {
  const named = listDocuments().flatMap((path) =>
    commandsInSentences(readFileSync(path, 'utf8')).map((argv) => ({ path, argv })),
  );
  assert.ok(named.length > 100, `${named.length} commands were found`);
  // What stands for a name, and what is only named without its value.
  const isName = ({ argv: [first = ''] }: Argv): boolean => !/^(?:COMMAND|__)/.test(first) && first !== 'help';
  const refused = named.filter(isName).flatMap(refusalOf);
  assert.equal(
    refused.filter((line) => !/ \(missing-(?:value|subcommand)\)$/.test(line)),
    [],
  );
});

test('each npm script and each file of this project that a document runs is there', () => {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  const missing = listDocuments().flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    const named = [...text.matchAll(/\bnpm (?:run |(?=start|test))([a-z:]+)/g)].map(([, name = '']) => name);
    const files = [...text.matchAll(/\bnode ((?:build|\.ci)\/[\w./-]+)/g)].map(([, file = '']) => file);
    return [
      // Pages of docs/ speak of the scripts of a reader's own project.
      ...(path.startsWith('docs/') ? [] : named.filter((name) => scripts[name] === undefined)),
      ...files.filter((file) => !existsSync(file.replace(/^build\/(.*)\.js$/, '$1.ts'))),
    ].map((name) => `${path}: ${name}`);
  });
  assert.equal(missing, []);
});

test('each YAML block of a document is a plan, a decisions file or a configuration without mistakes', () => {
  let count = 0;
  for (const path of listDocuments())
    for (const [, , , kind, text = ''] of readFileSync(path, 'utf8').matchAll(fences)) {
      if (kind !== 'yaml') continue;
      count += 1;
      if (/^tasks:/m.test(text)) readPlanFile(text, path);
      else if (/^changesets:/m.test(text)) readDecisionsFile(text, path);
      else parseConfig(text, path);
    }
  assert.ok(count > 15, `${count} were read`);
});

interface Argv {
  readonly path: string;
  readonly argv: readonly string[];
}

/** The document, the command and the error code, where it is no command line of this program. */
function refusalOf({ path, argv }: Argv): readonly string[] {
  try {
    parseArgv(argv);
    return [];
  } catch (error) {
    const code = error instanceof FlameError ? error.code : String(error);
    return [`${path}: git flame ${argv.join(' ')} (${code})`];
  }
}

test.run();
