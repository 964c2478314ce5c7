import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endOpened, letGo, type MachineRig, machineEnd, makeMachines, untilLetGo } from '../support/machine-rig.ts';
import { landsOnce, stepsDown, subjects, tasksOf, twoLeads, worktrees } from '../support/two-leads.ts';

// Two leads that are both alive while the old one judges, merges and lands.

test.after(endOpened);

// Not of the base, which is tried first.
const either = '[ -e src/task-001.txt ] || [ -e src/task-002.txt ]';
const both = '[ -e src/task-001.txt ] && [ -e src/task-002.txt ]';
const checking = (condition: string) => ({
  validation: {
    validator_diagnostics: { commands: [`sh -c 'if ${condition}; then ${untilLetGo}; fi'`] },
  },
});
const doneTasks = ({ remote }: MachineRig): number =>
  subjects(remote, 'tasks').filter((line) => /claimed -> done/.test(line)).length;

for (const [moment, condition, kind, made] of [
  ['judges', either, 'validations', /: pass by/],
  ['merges', both, 'sessions', /^changeset .*: built/],
] as const)
  test(`DST-1 LIF-4 a lead that is replaced while it ${moment} records nothing of it: the next one does that itself, and lands once`, async () => {
    const rig = makeMachines(2, tasksOf('true'), undefined, checking(condition));
    const judged = (): number => subjects(rig.remote, 'validations').filter((line) => /pass by/.test(line)).length;
    const leads = await twoLeads(
      rig,
      () => doneTasks(rig) === 2 && (moment === 'judges' || judged() === 2) && worktrees(rig.lead) > 0,
    );
    letGo({ machines: [leads.old] });
    await stepsDown(leads);
    const found = (): number => subjects(rig.remote, kind).filter((line) => made.test(line)).length;
    assert.is(found(), 0, 'nothing of the old lead is there');
    letGo(rig);
    await landsOnce(leads);
    assert.is(found(), moment === 'judges' ? 2 : 1);
  });

/** Holds the first push that moves main until there is a file `go`; `held` says that it does. */
function holdLanding({ remote }: MachineRig): { readonly isHeld: () => boolean; readonly let: () => void } {
  const script = `grep -q ' refs/heads/main$' || exit 0
mkdir "$GIT_DIR/held" 2>/dev/null || exit 0
for i in $(seq 3000); do [ -e "$GIT_DIR/go" ] && break; sleep 0.1; done`;
  writeFileSync(join(remote.path, 'hooks/pre-receive'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    isHeld: () => existsSync(join(remote.path, 'held')),
    let: () => writeFileSync(join(remote.path, 'go'), ''),
  };
}

for (const [what, isFirst] of [
  ['is decided after the next one has landed', true],
  ['is decided before the next one lands', false],
] as const)
  test(`DST-1 LIF-4 a landing that was on its way when the lead passed on, and ${what}, is not taken: it lands once`, async () => {
    const rig = makeMachines(2, tasksOf('true'));
    const landing = holdLanding(rig);
    const leads = await twoLeads(rig, landing.isHeld);
    if (isFirst) await machineEnd(leads.next);
    landing.let();
    await stepsDown(leads);
    await landsOnce(leads);
  });

test.run();
