import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../lib/domain/ids.ts';
import { freshAgentId } from '../support/agent-id.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { agentPolicy, type CellFixture, type FixtureOptions, openCellFixture } from './fixture.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

const secret = 'KEY=not-to-be-seen-4711';

interface Stage extends CellFixture {
  /** What an agent's script prints in a cell. */
  readonly agent: (script: string, isReadOnly?: boolean) => Promise<string>;
}

/** A worktree of a commit with these files, each with the secret in it. */
async function openStage(
  files: readonly string[],
  options: FixtureOptions & { readonly links?: Readonly<Record<string, string>> } = {},
): Promise<Stage> {
  const fixture = await openCellFixture(options);
  const { repo, port, runner } = fixture;
  repo.write('src/app.ts', 'export const visible = 1;\n');
  for (const file of files) repo.write(file, `${secret}\n`);
  for (const [path, target] of Object.entries(options.links ?? {})) symlinkSync(target, join(repo.path, path));
  repo.git('add', '-Af');
  repo.git('commit', '-qm', 'files');
  const cell = await port.addCellWorktree(
    join(repo.path, '.trees', freshAgentId()),
    parseObjectId(repo.git('rev-parse', 'HEAD')),
  );
  const sh = (command: string, timeoutMs = 60_000) =>
    runner.runCommand({ command, phase: 'diagnostics', worktree: cell, timeoutMs, label: 'test' });
  const agent = async (script: string, isReadOnly = false): Promise<string> => {
    const id = freshAgentId();
    const policy = agentPolicy(id, cell.path);
    const request = fixture.request({ id, worktree: cell, prompt: script, isReadOnly, policy });
    const running = await runner.start(request, () => undefined);
    return (await running.outcome).text;
  };
  return { ...fixture, cell, sh, agent };
}

const looks = [
  'cat .env .ENV deep/er/.env.production certs/tls-key.pem secrets/all/a.txt link.txt',
  'grep -rn KEY . ; rg --hidden -uu KEY . ; find . -type f -exec cat {} +',
  "node -e \"for (const f of ['.env','certs/tls-key.pem','link.txt']) console.log(require('fs').readFileSync(f,'utf8'))\"",
  `cat /proc/self/cwd/.env; tar cf - . | strings; cp -r . /tmp/all && cat /tmp/all/.env; mv deep other && cat other/er/.env*`,
  'cat "$MAIN/.env" "$MAIN/deep/er/.env.production" "$MAIN/secrets/all/a.txt"; grep -rn KEY "$MAIN" --exclude-dir=.git',
];
const hidden = ['**/.env', '**/.env.*', '**/*-key.pem', 'secrets/**'];

inCell(
  'WAT-10: no program of an agent, a setup or a diagnostic sees what is hidden, and its git takes it for unchanged',
  async () => {
    const stage = await openStage(
      ['.env', '.ENV', 'deep/er/.env.production', 'certs/tls-key.pem', 'secrets/all/a.txt', 'open.txt'],
      { links: { 'link.txt': '.env' }, config: { permissions: { hidden_paths: hidden } } },
    );
    try {
      for (const look of looks) {
        const line = look.replaceAll('$MAIN', stage.repo.path);
        const seen = [await stage.agent(`${line} 2>&1; true`), (await stage.sh(`${line} 2>&1; true`)).output];
        for (const text of seen) {
          const found = text.split('\n').filter((one) => one.includes(secret) && !/open\.txt|^KEY=/.test(one));
          assert.equal(found, [], line);
        }
      }
      assert.match(await stage.agent('cat open.txt src/app.ts'), new RegExp(`${secret}[^]*visible`));
      assert.is(await stage.agent('cat .env', true), '', 'a role that only reads');
      assert.is(await stage.agent('git status --porcelain -uno; git diff; echo same'), 'same');
      assert.match(await stage.agent('echo x > .env; rm -f .env; rm -rf secrets; cat .env | wc -c'), /0$/);
    } finally {
      stage.repo.remove();
    }
  },
);

test('WAT-10: the example of a lock file that is blocked and not hidden can be read by programs', async () => {
  const stage = await openStage(['go.mod'], {
    config: { permissions: { blocked_paths: ['go.mod'], hidden_paths: ['**/.env'] } },
  });
  try {
    assert.is(await stage.agent('cat go.mod'), secret);
  } finally {
    stage.repo.remove();
  }
});

inCell(
  'WAT-10: what project.copy names in full is seen by setup and diagnostics, never in the cells of agents',
  async () => {
    const stage = await openStage(['.env.test', 'certs/dev.key'], {
      config: { project: { copy: ['.env.test', 'certs/*.key'] } },
    });
    try {
      assert.is((await stage.sh('cat .env.test certs/dev.key')).output.trim(), secret);
      assert.is(await stage.agent('cat .env.test certs/dev.key'), '');
      writeFileSync(join(stage.cell.path, '.env'), 'MADE=by-setup\n');
      assert.is(await stage.agent('cat .env'), 'MADE=by-setup', 'what setup makes is its own');
    } finally {
      stage.repo.remove();
    }
  },
);

inCell('WAT-10: among linked folders and dependencies of the person, hidden files are empty too', async () => {
  const stage = await openStage(['open.txt'], {
    config: { project: { link: ['data', 'node_modules', 'own.key'] } },
  });
  const { repo } = stage;
  try {
    for (const folder of ['data/in', 'node_modules/pkg']) mkdirSync(join(repo.path, folder), { recursive: true });
    for (const file of ['data/in/.env', 'node_modules/pkg/.env', 'own.key', '.env'])
      writeFileSync(join(repo.path, file), secret);
    writeFileSync(join(repo.path, 'data/in/plain'), 'plain');
    const files = ['data/in/.env', 'node_modules/pkg/.env', 'own.key', '.env'].map((one) => join(repo.path, one));
    assert.is(await stage.agent(`cat ${files.join(' ')} ${repo.path}/data/in/plain 2>/dev/null`), 'plain');
  } finally {
    repo.remove();
  }
});

test('WAT-10: more hidden files than a cell can cover stop the agent before it starts', async () => {
  const files = Array.from({ length: 1_001 }, (_, at) => `many/${at}/x.key`);
  const stage = await openStage(files);
  try {
    await assert.unreachable(String(await stage.agent('true')));
  } catch (error) {
    assert.is((error as { code?: string }).code, 'too-many-hidden');
  } finally {
    stage.repo.remove();
  }
});

test.run();
