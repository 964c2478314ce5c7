import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeDecisions } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { endOpened, makeMachines } from '../support/machine-rig.ts';
import { checkSharedHistory } from '../support/shared-history.ts';

test.after(endOpened);

const tasks = ['task-001', 'task-002'].map((id) => ({
  ...{ id, locks: [`src/${id}.txt`] },
  script: `mkdir -p src; echo ${id} > src/${id}.txt`,
}));

/** Has a teammate's commit come to main at the moment the first landing arrives there. */
function moveAtLanding(remote: ReturnType<typeof makeMachines>['remote'], commit: string): void {
  const script = `grep -q ' refs/heads/main$' || exit 0
mkdir "$GIT_DIR/moved" 2>/dev/null || exit 0
unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
git update-ref refs/heads/main ${commit}`;
  writeFileSync(join(remote.path, 'hooks/pre-receive'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

test('DST-1 a base that a teammate moves while a landing is on its way is decided again on that, and nothing is lost', async () => {
  const { remote, lead, other } = makeMachines(2, tasks);
  const { repo } = lead;
  const before = remote.git('rev-parse', 'main');
  other.repo.write('notes.txt', 'theirs\n');
  const theirs = other.repo.commit('theirs');
  other.repo.git('push', '-q', 'origin', `${theirs}:refs/heads/theirs`);
  moveAtLanding(remote, theirs);
  const decided = ['--decisions-file', '.git/decisions.yml'];
  writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const first = await flame(repo, ['run', 'Do them', '--remote', 'origin', '--from', '.git/plan.yml', ...decided]);
  assert.is(first.code, 2, first.stderr);
  assert.match(first.stderr, /main differs between here and origin, so nothing was landed\. The approval stays valid/);
  assert.is(remote.git('rev-parse', 'main'), theirs);
  const [, pull = ''] = first.stderr.match(/next: git (pull origin main)/) ?? [];
  repo.git(...pull.split(' '));
  writeDecisions(repo, { changesets: ['approve', 'approve'], session: ['continue', 'stop'] });
  const again = await flame(repo, ['run', ...decided]);
  assert.is(again.code, 0, again.stderr);
  const [session = ''] = repo.git('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/blueflame/kept/').split('\n');
  const history = checkSharedHistory(remote, session);
  assert.equal([history.problems, history.merged], [[], 2]);
  assert.is(remote.git('rev-list', '--first-parent', '--count', `${before}..main`), '2', 'theirs, and ours once');
  remote.git('merge-base', '--is-ancestor', theirs, 'main');
});

test.run();
