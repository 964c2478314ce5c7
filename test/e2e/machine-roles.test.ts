import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { machineName } from '../../lib/trust/clone-key.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import {
  beginLed,
  endOpened,
  machineEnd,
  makeMachines,
  type RigMachine,
  refFile,
  startMachine,
  untilThere,
} from '../support/machine-rig.ts';
import type { TestRepo } from '../support/repo.ts';
import { checkSharedHistory } from '../support/shared-history.ts';
import { until } from '../support/until.ts';

interface Shown {
  readonly machine: string;
  readonly role: string;
  readonly roles: readonly string[];
  readonly trusted: readonly string[];
  readonly tasks: readonly unknown[];
}

const make = (id: string, before = 'true') => ({
  id,
  script: `${before}; mkdir -p src; echo ${id} > src/${id}.txt`,
  locks: [`src/${id}.txt`],
});
/** Ends once a verdict is on the refs of its clone. */
const afterVerdict = untilThere('refs/blueflame/validations');

test.after(endOpened);

async function all(lead: RigMachine): Promise<readonly Shown[]> {
  const [seen] = (await flameJson(lead.repo, ['machines'])).lines;
  return (seen?.machines ?? []) as readonly Shown[];
}

async function joined(lead: RigMachine): Promise<Shown | undefined> {
  return (await all(lead)).find(({ role }) => role === 'worker');
}

test('DST-1 TRU-2 a machine that only validates takes no task; its verdicts count once the lead trusts its key, and land', async () => {
  const rig = makeMachines(2, [make('task-001'), make('task-002', afterVerdict)]);
  const { remote, lead, other } = rig;
  const wrong = await flame(other.repo, ['work', '--join', 'origin', '--role', 'plan']);
  assert.is(wrong.code, 129, wrong.stderr);
  assert.match(wrong.stderr, /no role "plan"\. The roles are work, validate, merge/);
  const { digest, session } = await beginLed(rig);
  startMachine(other, digest, ['--role', 'validate']);
  await until('it is there', async () => (await joined(lead)) !== undefined);
  const before = await joined(lead);
  assert.equal([before?.roles, before?.trusted], [['validate'], []]);
  assert.match((await flame(lead.repo, ['machines'])).stdout, /roles: validate \(not trusted\); key [\w-]{43}/);
  const nobody = await flame(lead.repo, ['machines', '--trust', 'nobody/1']);
  assert.is(nobody.code, 1);
  assert.match(nobody.stderr, /No machine named nobody\/1/);
  const name = before?.machine ?? '';
  const trusted = await flame(lead.repo, ['machines', '--trust', name]);
  assert.is(trusted.code, 0, trusted.stderr);
  await until('it is told', async () => (await joined(lead))?.trusted.includes('validate') ?? lead.child === null);
  await machineEnd(lead);
  await machineEnd(other);
  assert.equal([lead.ends, other.ends], [[0], [0]], `${lead.said}\n${other.said}`);
  const verdicts = verdictsIn(remote.git('log', '-p', '--format=', 'refs/blueflame/validations'));
  assert.ok(verdicts.includes(name), 'it judged');
  const history = checkSharedHistory(remote, session);
  assert.equal([history.problems, history.merged], [[], 2]);
  assert.not(history.doneBy.has(name), 'it did no task');
});

test('DST-1 TRU-2 changesets are built on a machine that is trusted with it, and its person decides where the lead has none', async () => {
  const rig = makeMachines(3, [make('task-001'), make('task-002', afterTrust(2))]);
  const { remote, machines, lead, other: merger, third: reviewer } = rig;
  writeDecisions(lead.repo, { plan: ['approve'], session: ['stop'] });
  writeDecisions(reviewer.repo, { changesets: ['approve'] });
  const { digest, session } = await beginLed(rig);
  startMachine(merger, digest, ['--role', 'merge']);
  startMachine(reviewer, digest, ['--role', 'review', '--decisions-file', '.git/decisions.yml']);
  for (const role of ['merge', 'review']) {
    const has = async () => (await all(lead)).find(({ roles }) => roles.includes(role) && roles.length === 1);
    await until(`there is one to ${role}`, async () => (await has()) !== undefined);
    const name = (await has())?.machine ?? '';
    const trusted = await flame(lead.repo, ['machines', '--trust', name, '--role', role]);
    assert.is(trusted.code, 0, trusted.stderr);
  }
  for (const machine of machines) await machineEnd(machine);
  const said = machines.map((machine) => machine.said).join('\n----\n');
  assert.equal(
    machines.map(({ ends }) => ends),
    [[0], [0], [0]],
    said,
  );
  assert.match(lead.said, /builds the changesets\./);
  assert.match(lead.said, /waits for a decision on/);
  const note = notesOf(remote, session);
  const [changeset] = note.changesets;
  assert.equal([changeset?.state, note.changesets.length], ['landed', 1], said);
  const names = await Promise.all([merger, reviewer].map(async ({ repo }) => placeOf(repo)));
  assert.equal([changeset?.built_on?.name, changeset?.approved_on?.name], names);
  const history = checkSharedHistory(remote, session);
  assert.equal([history.problems, history.merged], [[], 2]);
  assert.equal([...history.doneBy.values()], [2], 'the lead alone took tasks');
});

/** Ends once so many machines are trusted, by the session's note as its clone has it. */
function afterTrust(count: number): string {
  const body = 'git ls-tree -r --name-only $tip | grep -v anchors | sed s,^,$tip:, | xargs git show';
  return `for i in $(seq 600); do tip=$(cat ${refFile('refs/blueflame/sessions')}); [ "$(${body} | sed -n '/"trusted"/,/^  }/p' | grep -c '"machine"')" -ge ${count} ] && break; sleep 0.5; done`;
}

interface SessionNote {
  readonly changesets: readonly {
    readonly state: string;
    readonly built_on?: { readonly name: string };
    readonly approved_on?: { readonly name: string };
  }[];
}

function notesOf(remote: TestRepo, session: string): SessionNote {
  const key = remote.git('rev-parse', `refs/blueflame/sessions:anchors/${session}`);
  return JSON.parse(remote.git('show', `refs/blueflame/sessions:${key.slice(0, 2)}/${key.slice(2)}`));
}

function placeOf(repo: TestRepo): string {
  return machineName({ env: repo.env, commonDir: join(repo.path, '.git') });
}

function verdictsIn(patch: string): readonly string[] {
  return [...patch.matchAll(/^\+\s*"name": "([^"]+)"/gm)].map(([, name = '']) => name);
}

test.run();
