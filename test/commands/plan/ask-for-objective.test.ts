import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { main } from '../../../lib/cli/main.ts';
import { parseArgv } from '../../../lib/cli/parse-argv.ts';
import { askForObjective } from '../../../lib/commands/plan/ask-for-objective.ts';
import { makeExecProject, writePlan } from '../../support/exec-project.ts';
import { type FakeIo, makeFakeIo } from '../../support/fake-io.ts';
import { flame } from '../../support/flame.ts';
import { makeRepo, makeTempDir, type TestRepo } from '../../support/repo.ts';

// `git flame` without a command: at a terminal it asks what you want done.

function terminalIn({ path, env }: Pick<TestRepo, 'path' | 'env'>, input: string): FakeIo {
  const known = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return makeFakeIo({ isTTY: true, columns: 90, cwd: path, env: Object.fromEntries(known), input });
}

async function ask(repo: TestRepo, input: string): Promise<{ words: readonly string[] | null; said: string }> {
  const parsed = parseArgv([]);
  if (parsed.kind !== 'none') throw new Error('it names no command');
  const fake = terminalIn(repo, input);
  return { words: await askForObjective(parsed.globals, fake.io), said: fake.stderr() };
}

test('CLI-4: an objective starts a session, whatever it begins with, and an empty one quits', async () => {
  const repo = makeExecProject();
  const { words, said } = await ask(repo, '--fast: sort the list\n');
  assert.equal(words, ['run', '--', '--fast: sort the list']);
  assert.match(said.replace(/\s+/g, ' '), 'You see them before an agent works, and every change before it lands.');
  const run = parseArgv(words ?? []);
  assert.equal(run.kind === 'run' && [run.command, run.positionals], ['run', ['--fast: sort the list']]);
  assert.equal((await ask(repo, '\n')).words, null);
  const fake = terminalIn(repo, '');
  fake.endInput();
  assert.is(await main([], fake.io), 0);
  assert.is(fake.stdout(), '');
});

test('CLI-4: an open session is offered first', async () => {
  const repo = makeExecProject();
  repo.write('a.txt', '');
  repo.commit('add a file');
  const plan = writePlan(repo, [{ id: 'task-1', script: 'echo done > a.txt', locks: ['a.txt'] }]);
  assert.is((await flame(repo, ['run', '--from', plan])).code, 2);
  const { words, said } = await ask(repo, 'c\n');
  assert.equal(words, ['run']);
  assert.match(said, /^Session ses-\S+ waits in cycle 1, wave plan: The plan in /);
  assert.equal((await ask(repo, 'n\nSort it\n')).words, ['run', '--new', '--', 'Sort it']);
  assert.equal((await ask(repo, 'q\n')).words, null);
});

test('elsewhere it prints help: without a terminal, outside a repository, before init', async () => {
  const repo = makeExecProject();
  const piped = await flame(repo, []);
  assert.match(piped.stdout, 'usage: git flame');
  assert.is(piped.stderr, '');
  const bare = makeRepo();
  const folder = makeTempDir();
  for (const place of [bare, { path: folder, env: { ...bare.env, GIT_CEILING_DIRECTORIES: folder } }]) {
    const fake = terminalIn(place, '');
    assert.is(await main([], fake.io), 0, fake.stderr());
    assert.match(fake.stdout(), 'usage: git flame');
  }
  const plain = terminalIn(repo, '');
  assert.is(await main(['--plain'], plain.io), 0);
  assert.match(plain.stdout(), 'usage: git flame');
});

test.run();
