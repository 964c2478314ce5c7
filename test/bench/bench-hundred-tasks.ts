import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { hermeticEnv, makeRepo } from '../support/repo.ts';
import { program } from './bench-version.ts';
import type { BenchRow } from './figures.ts';
import { type TimedCommand, timeCommands } from './time-commands.ts';

const tasks = 100;
const groups = 10;
const rounds = 3;

/** A whole run over 100 tasks whose agents need no time, against a shell loop doing the same git work. */
export async function benchHundredTasks(): Promise<BenchRow[]> {
  const { run, loop, confined } = await timeCommands(
    { run: flameRun, loop: shellLoop('plain'), confined: shellLoop('confined') },
    rounds,
  );
  const what = `\`run\`, ${tasks} instant tasks`;
  return [
    {
      what,
      against: 'shell loop',
      figures: { ours: run, other: loop },
      target: { kind: 'ratio', most: 1.5 },
    },
    {
      what,
      against: 'shell loop with `bwrap`',
      figures: { ours: run, other: confined },
      target: { kind: 'ratio', most: 1.2 },
    },
  ];
}

const flameRun: TimedCommand = {
  argv: [
    ...[program, 'run', 'A hundred things'],
    ...['--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml'],
  ],
  cwd: makeRunProject,
  env: hermeticEnv,
};

function makeRunProject(): string {
  const repo = makeExecProject();
  writePlan(
    repo,
    Array.from({ length: tasks }, (_, at) => ({
      id: `task-${at + 1}`,
      script: `mkdir -p src && echo ${at + 1} > src/${at + 1}.txt`,
      locks: [`src/${at + 1}.txt`],
      group: `group-${at % groups}`,
    })),
  );
  writeDecisions(repo, { plan: ['approve'], changesets: Array.from({ length: groups }, () => 'approve') });
  return repo.path;
}

// What one would write who needs no checks, no record and no review.
const loopScript = `
set -e
tip=$(git rev-parse main)
for at in $(seq ${tasks}); do
  git worktree add -q -b "work-$at" ".trees/$at" main
  if [ "$1" = plain ]; then echo "$at" > ".trees/$at/src/$at.txt"
  else
    # The least that keeps a script to its worktree.
    bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --proc /proc \\
      --bind "$PWD/.trees/$at" "$PWD/.trees/$at" sh -c 'echo "$0" > ".trees/$0/src/$0.txt"' "$at"
  fi
  git -C ".trees/$at" add -A
  git -C ".trees/$at" commit -q -m "Do $at"
  tree=$(git merge-tree --write-tree "$tip" "work-$at")
  tip=$(git commit-tree "$tree" -p "$tip" -p "work-$at" -m "Merge $at")
  git worktree remove ".trees/$at"
done
git merge -q --ff-only "$tip"
`;

function shellLoop(kind: 'plain' | 'confined'): TimedCommand {
  return {
    argv: ['sh', '-c', loopScript, 'loop', kind],
    cwd: () => makeRepo().path,
    env: hermeticEnv,
  };
}
