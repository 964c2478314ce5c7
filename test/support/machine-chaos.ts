import { setTimeout as wait } from 'node:timers/promises';
import { cutOff, type MachineRig, machineEnd, type RigMachine, startMachine } from './machine-rig.ts';
import type { Random } from './random.ts';

/**
 * Kills, stops and cuts off machines at random, starts again what died, and resolves once the session has ended and all
 * of them with it.
 */
export async function sufferUntilDone(
  { machines }: Pick<MachineRig, 'machines'>,
  {
    digest,
    random,
    longestMs,
  }: { readonly digest: string; readonly random: Random; readonly longestMs: number },
): Promise<void> {
  const [lead, ...others] = machines;
  if (lead === undefined) throw new Error('no lead');
  const end = Date.now() + longestMs;
  while (Date.now() < end) {
    await wait(random.int(1_500, 4_000));
    const victim: RigMachine = random.pick([lead, ...others]);
    if (victim.child !== null) await hurt(victim, random);
    else if (lead.child === null && isOver(lead)) break;
    else if (victim.ends.at(-1) !== 0) startMachine(victim, victim === lead ? null : digest);
  }
  for (const machine of others) {
    if (machine.child === null && machine.ends.at(-1) !== 0) startMachine(machine, digest);
    await machineEnd(machine);
  }
}

async function hurt(victim: RigMachine, random: Random): Promise<void> {
  switch (random.int(1, 4)) {
    case 1:
      victim.child?.kill('SIGKILL');
      return;
    case 2:
      victim.child?.kill('SIGSTOP');
      await wait(random.chance(0.5) ? 12_000 : 1_000);
      victim.child?.kill('SIGCONT');
      return;
    case 3:
      cutOff(victim, true);
      await wait(random.chance(0.3) ? 12_000 : 3_000);
      cutOff(victim, false);
      return;
    default:
  }
}

/** One that died once its session had ended has nothing to go on with. */
function isOver({ ends, said }: RigMachine): boolean {
  return ends.at(-1) === 0 || said.includes('The session has ended');
}
