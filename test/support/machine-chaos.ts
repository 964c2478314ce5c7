import { setTimeout as wait } from 'node:timers/promises';
import { cutOff, type MachineRig, machineEnd, type RigMachine, startMachine } from './machine-rig.ts';
import type { Random } from './random.ts';

/** How often each thing was done to them. */
export type Suffered = Record<'kills' | 'stops' | 'cuts' | 'crashes', number>;

interface Chaos {
  readonly digest: string;
  readonly random: Random;
  readonly longestMs: number;
  /** Some stops and cuts are longer than that, most are much shorter. */
  readonly leaseMs: number;
  /** Kills the server; not given: it lives. */
  readonly crash?: (down: () => Promise<void>) => Promise<void>;
}

/**
 * Kills, stops and cuts off machines at random, and the server, starts again what died, and resolves once the session
 * has ended and all of them with it.
 */
export async function sufferUntilDone(
  { machines }: Pick<MachineRig, 'machines'>,
  { digest, random, longestMs, leaseMs, crash }: Chaos,
): Promise<Suffered> {
  const suffered: Suffered = { kills: 0, stops: 0, cuts: 0, crashes: 0 };
  const [lead, ...others] = machines;
  if (lead === undefined) throw new Error('no lead');
  const end = Date.now() + longestMs;
  while (Date.now() < end) {
    await wait(random.int(1_500, 4_000));
    if (crash !== undefined && random.chance(0.1)) {
      suffered.crashes += 1;
      await crash(() => wait(random.int(100, 4_000)));
    }
    const victim: RigMachine = random.pick([lead, ...others]);
    if (victim.child !== null) await hurt(victim, { random, leaseMs, suffered });
    else if (lead.child === null && isOver(lead)) break;
    else if (victim.ends.at(-1) !== 0) startMachine(victim, victim === lead ? null : digest);
  }
  for (const machine of others) {
    if (machine.child === null && machine.ends.at(-1) !== 0) startMachine(machine, digest);
    await machineEnd(machine);
  }
  return suffered;
}

async function hurt(
  victim: RigMachine,
  { random, leaseMs, suffered }: Pick<Chaos, 'random' | 'leaseMs'> & { readonly suffered: Suffered },
): Promise<void> {
  const tooLong = leaseMs * 1.3;
  switch (random.int(1, 4)) {
    case 1:
      suffered.kills += 1;
      victim.child?.kill('SIGKILL');
      return;
    case 2:
      suffered.stops += 1;
      victim.child?.kill('SIGSTOP');
      await wait(random.chance(0.4) ? tooLong : 1_000);
      victim.child?.kill('SIGCONT');
      return;
    case 3:
      suffered.cuts += 1;
      cutOff(victim, true);
      await wait(random.chance(0.3) ? tooLong : 3_000);
      cutOff(victim, false);
      return;
    default:
  }
}

/** One that died once its session had ended has nothing to go on with. */
function isOver({ ends, said }: RigMachine): boolean {
  return ends.at(-1) === 0 || said.includes('The session has ended');
}
