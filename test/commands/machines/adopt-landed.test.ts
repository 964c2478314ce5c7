import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeDecisions } from '../../support/exec-project.ts';
import { type FlameRun, flame } from '../../support/flame.ts';
import { makeMachines, type RigMachine } from '../../support/machine-rig.ts';
import type { TestRepo } from '../../support/repo.ts';

const tasks = ['one', 'two'].map((group) => ({
  ...{ id: `task-${group}`, group, locks: [`src/${group}.txt`] },
  script: `mkdir -p src; echo ${group} > src/${group}.txt`,
}));

interface Landed {
  readonly lead: RigMachine;
  readonly remote: TestRepo;
  readonly before: string;
  readonly landed: string;
}

/** The first of two changesets has landed at the remote; this clone knows by its notes, its branch was not moved. */
async function landedUnheard(): Promise<Landed> {
  const { remote, lead } = makeMachines(1, tasks);
  const before = lead.repo.git('rev-parse', 'main');
  writeDecisions(lead.repo, {
    plan: ['approve'],
    changesets: [{ one: 'approve', two: { reject: 'once more' } }],
  });
  const run = await again(lead, ['Do them', '--from', '.git/plan.yml']);
  assert.is(run.code, 2, run.stderr);
  const landed = remote.git('rev-parse', 'main');
  assert.is(lead.repo.git('rev-parse', 'main'), landed);
  assert.is.not(landed, before);
  // As a kill leaves it that comes between the push and the move of the branch here.
  lead.repo.git('reset', '-q', '--hard', before);
  writeDecisions(lead.repo, { changesets: ['approve'], session: ['continue', 'stop'] });
  return { lead, remote, before, landed };
}

function again({ repo }: RigMachine, argv: readonly string[] = []): Promise<FlameRun> {
  return flame(repo, ['run', '--remote', 'origin', ...argv, '--decisions-file', '.git/decisions.yml']);
}

test('MRG-3 DST-1 what landed at the remote unheard is taken over by the next start, and the work tree with it', async () => {
  const { lead, remote } = await landedUnheard();
  const run = await again(lead);
  assert.is(run.code, 0, run.stderr);
  assert.is(lead.repo.git('rev-parse', 'main'), remote.git('rev-parse', 'main'));
  assert.is(lead.repo.git('status', '--porcelain'), '');
  for (const group of ['one', 'two']) assert.ok(existsSync(join(lead.repo.path, `src/${group}.txt`)));
});

test('a branch that can not go forward here stays, which is said with the way on, and nothing more lands', async () => {
  const { lead, remote, before, landed } = await landedUnheard();
  lead.repo.write('src/a.txt', 'of the person\n');
  const file = lead.repo.git('ls-files', 'src').split('\n')[0] ?? '';
  lead.repo.write(file, 'of the person\n');
  const run = await again(lead);
  assert.is(run.code, 2, run.stderr);
  assert.match(run.stderr, /main at origin has what this session landed, .* has local changes\./);
  assert.match(run.stderr, /git pull --ff-only origin main/);
  assert.is(lead.repo.git('rev-parse', 'main'), before);
  assert.is(remote.git('rev-parse', 'main'), landed);
  lead.repo.git('checkout', '-q', '.');
  lead.repo.git('clean', '-qfd');
  lead.repo.git('pull', '-q', '--ff-only', 'origin', 'main');
  const after = await again(lead);
  assert.is(after.code, 0, after.stderr);
  assert.is(lead.repo.git('rev-parse', 'main'), remote.git('rev-parse', 'main'));
});

test.run();
