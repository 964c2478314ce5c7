import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import type { CellWorktree } from '../../../lib/domain/ports/git-cells.ts';
import { findViolationsInCommits } from '../../../lib/engine/post-check/judge-commits.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { agentGit, openFixture } from '../../git/cell-fixture.ts';
import { makePolicy } from '../../policy/fixtures.ts';

const token = `ghp_${'a1B2'.repeat(9)}`;
const policy = makePolicy({
  config: { permissions: { hidden_paths: ['**/*.key'] }, sandbox: { max_file_size_mb: 5 } },
  locks: ['src/'],
});

/** Runs one agent's work and tells the rules it broke, with where. */
async function judge(work: (agent: Agent) => void, count = 0): Promise<string[]> {
  const { port, tree, head } = await openFixture();
  const cell = await port.addCellWorktree(tree(`worker-${count.toString(16).padStart(8, '0')}`), head);
  const git = (...args: string[]): string => agentGit(cell, '-c', 'core.hooksPath=/dev/null', ...args);
  const save = (message = 'x'): void => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', message);
  };
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(join(cell.path, path, '..'), { recursive: true });
    writeFileSync(join(cell.path, path), content);
  };
  work({ cell, git, save, write });
  const tip = parseObjectId(agentGit(cell, 'rev-parse', 'HEAD'));
  const context = { git: port } as Pick<RunContext, 'git'>;
  const found = await findViolationsInCommits(context, {
    ...{ start: cell.start, tip, policy, ours: [], signer: null },
    quarantine: cell.quarantine,
  });
  assert.not.ok(found.some(({ details }) => details.includes(token)));
  return found.map(({ rule, where }) => `${rule} ${where}`);
}

/** Two commits side by side; HEAD is at the second, HEAD@{2} was the first. */
function part({ git, save, write }: Agent): void {
  write('src/a.txt', 'one\n');
  save('one');
  git('checkout', '-q', '--detach', 'HEAD~1');
  write('src/b.txt', 'two\n');
  save('two');
}

interface Agent {
  readonly cell: CellWorktree;
  readonly git: (...args: string[]) => string;
  readonly save: (message?: string) => void;
  readonly write: (path: string, content: string | Buffer) => void;
}

test('PCK-3 UNI-5: what one commit brings and a later one takes back is judged', async () => {
  assert.equal(
    await judge(({ git, save, write }) => {
      write('src/a.txt', `${token}\n`);
      write('elsewhere.txt', 'x');
      write('src/x.key', 'x');
      save('one');
      git('rm', '-q', 'elsewhere.txt', 'src/x.key');
      write('src/a.txt', 'clean\n');
      save('two');
      write('src/b.txt', 'b\n');
      save('three');
    }),
    ['path-out-of-scope elsewhere.txt', 'secret src/a.txt', 'path-hidden src/x.key'],
  );
});

test('PCK-3 a commit that only steps through what is allowed passes, merges of its own too', async () => {
  assert.equal(
    await judge((agent) => {
      const { git, save, write } = agent;
      part(agent);
      git('merge', '-q', '--no-edit', 'HEAD@{2}');
      write('src/a.txt', 'three\n');
      save('three');
    }),
    [],
  );
});

test('PCK-3 a merge that brings what neither side had is judged, also when that is gone again', async () => {
  assert.equal(
    await judge((agent) => {
      const { git, save, write } = agent;
      part(agent);
      git('merge', '-q', '--no-commit', 'HEAD@{2}');
      write('evil.txt', token);
      save('merge');
      git('rm', '-q', 'evil.txt');
      save('clean');
    }),
    ['path-out-of-scope evil.txt', 'secret evil.txt'],
  );
});

test('PCK-1 credentials are found in every encoding, in binary and large files, names and messages', async () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIE'.repeat(16)}\n`;
  assert.equal(
    await judge(({ save, write }) => {
      write('src/a-utf16le.txt', Buffer.from(`\ufeffkey ${token}\r\n`, 'utf16le'));
      write('src/b-utf16be.txt', Buffer.from(`\ufeffkey ${token}\r\n`, 'utf16le').swap16());
      write('src/c-latin1.txt', Buffer.from(`caf\xe9 ${token}\n`, 'latin1'));
      write('src/d-large.txt', `${'lorem ipsum\n'.repeat(200_000)}${token}\n`);
      write('src/e.bin', Buffer.concat([Buffer.alloc(300), Buffer.from(token)]));
      write('src/f.bin', Buffer.concat([Buffer.alloc(300), Buffer.from(key)]));
      // What every program with OpenSSL in it holds.
      write('src/g.bin', Buffer.concat([Buffer.alloc(300), Buffer.from(`${key.split('\n')[0]}\n\0x`)]));
      save(`told ${token}`);
    }).then((all) =>
      all.filter((one) => !one.startsWith('binary')).map((one) => one.replace(/ [0-9a-f]{40}$/, ' commit')),
    ),
    [
      'secret commit',
      ...['a-utf16le.txt', 'b-utf16be.txt', 'c-latin1.txt', 'd-large.txt', 'e.bin', 'f.bin'].map(
        (name) => `secret src/${name}`,
      ),
    ],
  );
  assert.equal(
    await judge(({ save, write }) => {
      write(`src/${'x'.repeat(3)}-AKIA${'ABCDEFGH23456777'}.txt`, 'x');
      save();
    }).then((all) => all.map((one) => one.slice(0, 6))),
    ['secret'],
  );
});

test('PCK-3 history that was taken back or begun anew is refused', async () => {
  const back = await judge(({ cell, git, write, save }) => {
    write('src/a.txt', 'x');
    save();
    // Nothing of its own, and less than it was given.
    git('update-ref', '--no-deref', 'HEAD', git('rev-parse', `${cell.start}~0`));
    const parent = git('commit-tree', '-m', 'old', `${cell.start}^{tree}`);
    git('update-ref', '--no-deref', 'HEAD', parent);
  });
  assert.match(back.join(), /^history /);
  const { port, repo, tree, head } = await openFixture();
  repo.write('src/a.txt', 'theirs\n');
  repo.commit('theirs');
  const start = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const cell = await port.addCellWorktree(tree('worker-0000000b'), start);
  agentGit(cell, 'reset', '-q', '--hard', head);
  const found = await findViolationsInCommits({ git: port } as Pick<RunContext, 'git'>, {
    ...{ start, tip: head, policy, ours: [], signer: null },
    quarantine: cell.quarantine,
  });
  assert.equal(
    found.map(({ rule }) => rule),
    ['history'],
  );
});

test.run();
