import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { setShellInPasswd } from '../../../lib/cell/run/agent-tools.ts';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { claudeHooks, openCellFixture } from '../fixture.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap can not make a cell here');

inCell('WAT-6: what a repository has for agent CLIs is empty in a cell, and its git sees no change', async () => {
  const { runner, request, repo, port } = await openCellFixture({
    adapter: { ...claudeHooks, readsUnasked: ['WORDS.md'] },
  });
  repo.write('.claude/settings.json', '{"disableAllHooks": true}');
  repo.write('.opencode/plugin/evil.js', 'evil');
  repo.write('opencode.json', '{"plugin": ["evil"]}');
  repo.write('.github/hooks/evil.json', 'evil');
  repo.write('.github/workflows/ci.yml', 'jobs');
  repo.write('tools/gemini/settings.json', 'evil');
  repo.write('docs/deep/WORDS.md', 'evil');
  symlinkSync('tools/gemini', join(repo.path, '.gemini'));
  repo.git('add', '-A');
  repo.git('commit', '-qm', 'settings');
  const start = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const cell = await port.addCellWorktree(join(`${repo.path}.trees`, 'worker-00000002'), start);
  const prompt = [
    'cat .claude/* .opencode/*/* opencode.json .github/hooks/* .gemini/* tools/gemini/* docs/deep/WORDS.md 2>/dev/null',
    'cat .github/workflows/ci.yml; echo',
    'touch .claude/x .opencode/x 2>/dev/null; echo x 2>/dev/null > opencode.json; echo "write $?"',
    'git status --porcelain; echo new > new.txt; git add -A; git commit -qm "feat: new"',
    'git stash list; git show --stat --format= HEAD; git status --porcelain',
  ].join('\n');
  const { text } = await (await runner.start(request({ prompt, worktree: cell }), () => undefined)).outcome;
  assert.is(text, 'jobs\nwrite 1\n new.txt | 1 +\n 1 file changed, 1 insertion(+)');
});

test('WAT-4: the account an agent runs as has the pinned shell, the others keep theirs', () => {
  const machine = 'root:x:0:0:root:/root:/usr/bin/zsh\nlea:x:1000:1000::/home/lea:/usr/bin/fish\n';
  const own = { home: '/cell/home', shell: '/run/bash' };
  assert.is(
    setShellInPasswd(machine, { id: 1000, ...own }),
    'root:x:0:0:root:/root:/usr/bin/zsh\nlea:x:1000:1000::/home/lea:/run/bash\n',
  );
  assert.is(
    setShellInPasswd(machine, { id: 7, ...own }),
    `${machine}agent:x:7:7::/cell/home:/run/bash\n`,
    'an account of a directory service',
  );
});

test.run();
