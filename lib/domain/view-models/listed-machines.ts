import type { Heartbeat, JoinedMachineRole } from '../state/machine-schemas.ts';
import type { Session } from '../state/session-schema.ts';
import type { Task } from '../state/task-schema.ts';

interface MachineFacts {
  readonly session: Session;
  readonly tasks: readonly Task[];
  readonly signs: readonly { readonly sign: Heartbeat; readonly at: string }[];
}

/** A machine as `git flame machines --json` has it; its times are by its own clock. */
export interface ShownMachine {
  readonly machine: string;
  readonly person: string | null;
  readonly role: Heartbeat['role'];
  readonly version: string | null;
  readonly config: 'same' | 'differs' | null;
  readonly slots: number | null;
  /** Roles it offers; null: it has no heartbeat. */
  readonly roles: readonly JoinedMachineRole[] | null;
  /** Those of its roles that the lead trusts it with; work needs no trust. */
  readonly trusted: readonly JoinedMachineRole[];
  /** Its public key. */
  readonly key: string | null;
  readonly since: string | null;
  /** null: it has no heartbeat. */
  readonly last_sign_at: string | null;
  readonly tasks: readonly {
    readonly id: string;
    readonly agent_id: string | null;
    readonly claim: number;
    readonly claimed_at: string;
  }[];
  /** Work that it judges at the moment. */
  readonly judges: readonly { readonly id: string; readonly commit: string; readonly claim: number }[];
}

/** The lead first, then by name; also who holds tasks and gives no sign. */
export function listMachines({ session, tasks, signs }: MachineFacts): readonly ShownMachine[] {
  const lead = session.machines?.lead ?? null;
  const holders = tasks.flatMap(({ status, claimed_host: host, judging }) => {
    const holder = status === 'claimed' ? host : status === 'done' ? (judging?.machine ?? null) : null;
    return holder === null ? [] : [holder];
  });
  const names = [...new Set([...signs.map(({ sign }) => sign.machine), ...holders])].sort(
    (a, b) => Number(b === lead) - Number(a === lead) || (a < b ? -1 : 1),
  );
  return names.map((machine): ShownMachine => {
    const known = signs.find(({ sign }) => sign.machine === machine);
    const { sign, at } = known ?? { sign: null, at: null };
    return {
      machine,
      person: sign?.person ?? null,
      // Which one leads the session says, not the machine.
      role: machine === lead ? 'lead' : 'worker',
      version: sign?.version ?? null,
      config: sign === null ? null : sign.config === session.config_digest ? 'same' : 'differs',
      slots: sign?.slots ?? null,
      roles: sign?.roles ?? null,
      trusted: session.machines?.validators?.includes(machine) === true ? ['validate'] : [],
      key: sign?.key ?? null,
      since: sign?.since ?? null,
      last_sign_at: at,
      tasks: tasks.flatMap((task) =>
        task.status === 'claimed' && task.claimed_host === machine
          ? [{ id: task.id, agent_id: task.agent_id, claim: task.claim ?? 0, claimed_at: task.claimed_at }]
          : [],
      ),
      judges: tasks.flatMap(({ id, status, judging, commit }) =>
        status === 'done' && judging?.machine === machine && judging.commit === commit
          ? [{ id, commit: judging.commit, claim: judging.claim }]
          : [],
      ),
    };
  });
}

/** Events of a session that several machines share. */
export type MachineEvent =
  /** Several machines: the claim of one that is given up is free again. */
  | {
      readonly event: 'claim-passed-on';
      readonly task: string;
      readonly agent: string | null;
      readonly machine: string;
      readonly message: string;
    }
  /** An attempt ended whose claim had been given up: it changed nothing, what it made is kept. */
  | {
      readonly event: 'result-superseded';
      readonly task: string;
      readonly agent: string;
      readonly message: string;
      readonly details: readonly string[];
    }
  /** The remote that machines share a session through can't be reached, or can again. */
  | { readonly event: 'remote-lost' | 'remote-back'; readonly remote: string; readonly message: string };
