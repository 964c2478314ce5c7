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

// What coding agents type in real sessions, and what would get round the rules: the whole way through
// `git flame policy check`. `lists`: the configurations that name the program; without it all of them do.

const corpus = readCorpus('agents');
const configurations: readonly (readonly [name: string, commands: readonly string[]])[] = [
  ['readme', exampleCommands()],
  ['usual', ['rm', 'chmod', 'git mv', 'git rm', 'git restore', ...usualCommands]],
  ['generous', ownCommands(corpus)],
];
for (const [name, commands] of configurations)
  test(`WAT-4: agents can work and attacks are blocked: ${name}`, async () => {
    const answers = await askAll(corpus, commands);
    const wrong = answers
      .filter(({ one }) => one.lists?.includes(name) ?? true)
      .filter(({ one, decision }) => decision !== one.expect)
      .filter(({ one }) => one.expect === 'allow' || !heldByCell.has(one.command ?? ''))
      .map(({ one, rule, details }: Answer) => `${JSON.stringify(one.command)} ${rule}: ${details}`);
    assert.equal(wrong, []);
  });

test.run();
