import { makeExecProject, writeDecisions, writePlan } from './exec-project.ts';
import type { TestRepo } from './repo.ts';

/**
 * plain: two groups. stacked: three tasks that build on each other, of which the second is rejected. redone: three that
 * depend on each other, of which the first is sent back once, so that the others wait for it. several: three attempts at
 * a task that another one needs.
 */
export type Victim = 'plain' | 'stacked' | 'redone' | 'several';

const script = (name: string): string => `mkdir -p src && echo ${name} > src/${name}.txt`;
const apart = [
  { id: 'task-001', script: script('one'), locks: ['src/one.txt'], group: 'one' },
  { id: 'task-002', script: script('two'), locks: ['src/two.txt'], group: 'two' },
  {
    id: 'task-003',
    script: 'cat src/two.txt > src/three.txt',
    locks: ['src/three.txt'],
    group: 'two',
    needs: ['task-002'],
  },
];

const shared = 'src/price.txt';
const names = ['one', 'two', 'three'];
const fill = (name: string): string => `sed -i 's/^# ${name}$/# ${name}\\n${name}/' ${shared}`;
/** All of one file, each of a group of its own. */
const stacked = names.map((name, at) => ({
  ...{ id: `task-00${at + 1}`, group: name, script: fill(name), locks: [shared] },
}));
// By what the file holds, not by how often it was tried: a kill may cost an attempt.
const draft = `grep -q '^draft$' ${shared} && sed -i 's/^draft$/one/' ${shared} || sed -i 's/^# one$/# one\\ndraft/' ${shared}`;
const redone = stacked.map((task, at) => ({
  ...task,
  ...(at === 0 ? { script: draft } : { needs: [`task-00${at}`] }),
}));

const several = [
  { id: 'task-001', script: script('one'), locks: ['src/one.txt'], group: 'one', attempts: 3 },
  { id: 'task-002', script: script('two'), locks: ['src/two.txt'], group: 'two', needs: ['task-001'] },
];

const plans = { plain: apart, stacked, redone, several } as const;
const isThere = 'test -d src';
const checks = {
  plain: isThere,
  stacked: isThere,
  several: isThere,
  redone: `! grep -q draft ${shared}`,
} as const;
const decisions = {
  plain: { changesets: ['approve', 'approve'], session: ['stop'] },
  stacked: { changesets: [{ two: { reject: 'no' }, all: 'approve' }], session: ['stop'] },
  several: { changesets: ['approve', 'approve'], session: ['stop'] },
  redone: {
    validation: [{ requeue: 'no draft', keep: true }],
    changesets: [{ all: 'approve' }],
    session: ['continue'],
  },
} as const;

/** A project with its plan and decisions, never run. */
export function buildVictim(kind: Victim): TestRepo {
  const repo = makeExecProject({
    config: {
      concurrency: { development: 2 },
      validation: { validator_diagnostics: { commands: [checks[kind]] } },
    },
  });
  if (kind === 'stacked' || kind === 'redone') {
    repo.write(shared, names.map((name) => `# ${name}\n\n\n\n`).join(''));
    repo.commit('prices');
  }
  writePlan(repo, plans[kind]);
  writeDecisions(repo, { plan: ['approve'], ...decisions[kind] });
  return repo;
}
