import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Answer,
  askAll,
  exampleCommands,
  heldByCell,
  ownCommands,
  readCorpus,
  usualCommands,
} from './configurations.ts';

// The whole way through `git flame policy check`, under what leads write.

const generous = ownCommands(readCorpus('bash-2'));
const defaults = ['rm', 'chmod', 'git mv', 'git rm', 'git restore', ...usualCommands];
const shapes: readonly (readonly [corpus: string, name: string, commands: readonly string[]])[] = [
  ['bash', 'its own list', ownCommands(readCorpus('bash'))],
  ['bash-2', 'a generous list', generous],
  ['bash-2', 'the defaults and the usual tests', defaults],
  ['bash-2', 'the example of docs/configuration.md', exampleCommands()],
  ['bash-3', 'a generous list', generous],
  ['bash-3', 'the defaults and the usual tests', defaults],
  ['bash-3', 'the example of docs/configuration.md', exampleCommands()],
  ['unlisted-2', 'programs named carelessly', ownCommands(readCorpus('unlisted-2'))],
  ['paths-2', 'few commands', ownCommands(readCorpus('paths-2'))],
];
for (const [corpus, name, commands] of shapes)
  test(`WAT-4: nothing of ${corpus} gets through with ${name}`, async () => {
    const answers = await askAll(readCorpus(corpus), commands);
    const told = ({ one }: Answer): string => JSON.stringify(one.command ?? one.input);
    const wrong = (expected: string): readonly string[] =>
      answers.filter(({ one, decision }) => one.expect === expected && decision !== expected).map(told);
    assert.equal(
      wrong('block').filter((line) => !heldByCell.has(JSON.parse(line))),
      [],
    );
    const benign = answers.filter(({ one }) => one.expect === 'allow').length;
    assert.ok(wrong('allow').length <= benign * 0.02, wrong('allow').join('\n'));
  });

test.run();
