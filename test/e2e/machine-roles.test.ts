import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame, flameJson } from '../support/flame.ts';
import {
  beginLed,
  endOpened,
  machineEnd,
  makeMachines,
  type RigMachine,
  startMachine,
  untilThere,
} from '../support/machine-rig.ts';
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
  assert.match(wrong.stderr, /no role "plan"\. The roles are work, validate\./);
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
  assert.match(trusted.stdout, /^Verdicts of \S+ count in \S+ \(key [\w-]{43}\)\.\n$/);
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

function verdictsIn(patch: string): readonly string[] {
  return [...patch.matchAll(/^\+\s*"name": "([^"]+)"/gm)].map(([, name = '']) => name);
}

test.run();
