import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { playStory } from './stories.ts';

/** What the story of these lines fails with; '' where it passes. */
async function told(...lines: readonly string[]): Promise<string> {
  const text = ['# What holds.', '', ...lines, ''].join('\n');
  const played = playStory(text, { name: 'x.txt' });
  return played.then(
    (same) => assert.is(same, text) ?? '',
    ({ message }: Error) => message,
  );
}

test('a story passes with the files it begins with, what comes out on each stream, and exit codes', async () => {
  const said = await told(
    ...['-- notes.txt --', 'one', '', 'two', '', '-- ../beside.txt --', 'beside', ''],
    ...['$ cat notes.txt ../beside.txt && git status --porcelain', '> one', '>', '> two', '> beside', ''],
    ...['# What a file is later on its own.', '-- notes.txt --', 'three', ''],
    ...['$ git status --porcelain', '>  M notes.txt', '$ test -e gone', 'exit 1'],
    ...['$ git flame policy check < notes.txt', '...', '$ git flame policy check git push', '...', 'exit 1'],
  );
  assert.is(said, '');
});

test('lines that differ are shown one by one among those that are the same', async () => {
  const said = await told("$ printf 'one\\ntwo\\nthree\\n'", '> one', '> too', '> three', '> four');
  const lines = ['    > one', '  - > too', '  + > two', '    > three', '  - > four'];
  assert.is(said, ["x.txt:3: $ printf 'one\\ntwo\\nthree\\n'", ...lines].join('\n'));
});

test('the stream counts, as does each exit code, also below lines that are left out', async () => {
  assert.match(await told('$ cat gone', '> cat: gone: No such file or directory', 'exit 1'), '  + 2> cat: gone');
  assert.match(await told('$ cat README.md', '> # Sample', 'exit 1'), '  - exit 1');
  assert.match(await told('$ cat README.md && test -e gone', '> # Sample'), '  + exit 1');
  assert.match(await told('$ cat README.md && test -e gone', '...', '$ ls', '> README.md', '> src'), '  + exit 1');
});

test('"..." stands for a line or more, and never for none', async () => {
  const three = "$ printf 'one\\ntwo\\nthree\\n'";
  assert.is(await told(three, '...', '> three'), '');
  assert.is(await told(three, '> one', '...', '> three'), '');
  assert.match(await told(three, '> one', '...', '> two', '> three'), '  - ...');
  assert.match(await told(three, '> one', '> two', '> three', '...'), '  - ...');
});

test('a story that compares nothing is none, nor is one with a line that means nothing', async () => {
  const nothing = 'x.txt: A story compares at least a line of what a command prints.';
  assert.is(await told('-- a.txt --', 'a'), nothing);
  assert.is(await told('$ git status', '...'), nothing);
  assert.is(await told('$ ls', '> README.md', 'README.md'), 'x.txt:5: This is no line of a story: README.md');
  assert.is(await told('cmp stdout golden'), 'x.txt:3: This is no line of a story: cmp stdout golden');
  const untitled = await playStory('$ ls\n> README.md\n', { name: 'x.txt' }).catch(({ message }) => message);
  assert.is(untitled, 'x.txt:1: A story begins with "# " and what holds.');
});

test('programs are those of a list; git flame runs without a shell, and with files that are there', async () => {
  const wrong = [
    ['ls; node x.js', 'A story runs no node.'],
    ['git flame status | cat', 'git flame runs without a shell here, which | would need.'],
    ['git flame show "$ID"', 'git flame runs without a shell here'],
    ['git flame task add < gone.yml', 'ENOENT'],
    ['git show [c1]', 'Nothing was named [c1] before.'],
  ] as const;
  for (const [command, says] of wrong)
    assert.match(await told(`$ ${command}`, '> x'), `x.txt:3: $ ${command}\nError: ${says}`);
});

test('what differs from run to run has a name, the same for the same', async () => {
  const said = await told(
    ...['$ git log --format=%h', '> [c1]', '> [c2]', '$ git rev-parse HEAD~1 HEAD', '> [c2]', '> [c1]'],
    ...['$ git show -s --format=%s [c2]', '> initial commit', "$ ls -d '[repo]'", '> [repo]'],
    ...['$ echo worker-0a0b0c0d ses-20260206-143022-1a2b worker-00000000 worker-0a0b0c0d'],
    ...['> [worker1] [session1] [worker2] [worker1]'],
  );
  assert.is(said, '');
  assert.match(await told('$ git rev-parse HEAD HEAD~1', '> [c1]', '> [c1]'), '  + > [c2]');
});

test('an update writes what came out, and what was left out stays so', async () => {
  const played = await playStory(
    '# What holds.\n\n-- a.txt --\none\n\n$ cat a.txt README.md src/a.txt\n> two\n...\n> a\nexit 1\n$ ls\n> x\n',
    { name: 'x.txt', isUpdating: true },
  );
  assert.is(
    played,
    '# What holds.\n\n-- a.txt --\none\n\n$ cat a.txt README.md src/a.txt\n> one\n> # Sample\n> a\n$ ls\n> README.md\n> a.txt\n> src\n',
  );
  const kept = '# What holds.\n\n$ cat README.md src/a.txt README.md\n...\n> b\n> # Sample\n';
  assert.is(
    await playStory(kept, { name: 'x.txt', isUpdating: true }),
    '# What holds.\n\n$ cat README.md src/a.txt README.md\n> # Sample\n> a\n> # Sample\n',
  );
});

test.run();
