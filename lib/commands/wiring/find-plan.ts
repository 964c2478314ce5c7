import { resolve } from 'node:path';
import { readPlanFile } from '../../config/read-plan-file.ts';
import type { CommandArgs } from '../../domain/command-args.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Io } from '../../domain/io.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Role } from '../../domain/role.ts';
import type { Session } from '../../domain/session.ts';
import { createSession, leaveOpenSession, requireNoOpenSession } from '../../engine/create-session.ts';
import { requireSoundPlan } from '../../engine/plan-wave.ts';
import { preflight } from '../../engine/preflight.ts';
import { readNamedFile } from './open-gates.ts';
import type { Opened } from './open-workshop.ts';
import { pickSession } from './read-state.ts';
import { sayWhich } from './say-which.ts';

export interface Start {
  readonly session: SessionId;
  readonly plan: Plan | null;
}

/**
 * The session `plan` and `run` work on: a new one when an objective or a plan file is given, else the one that is
 * open. Nothing is stored before everything a run needs was found.
 */
export async function findStart(
  opened: Opened,
  args: CommandArgs<'plan'> | CommandArgs<'run'>,
  io: Io,
): Promise<Start> {
  const { from } = args.options;
  const plan = from === null ? null : await readPlan(resolve(io.cwd, from));
  const snapshot = await opened.store.snapshot();
  const session = openSession(pickSession(snapshot, args));
  const goesOn = session !== null && !args.options.new && isMeant(session, args);
  if (plan !== null && !canBeMended(opened, args))
    requireSoundPlan(opened.workshop, plan, goesOn ? snapshot.tasksOf(session.id) : []);
  if (goesOn) {
    sayWhich(opened, session);
    return { session: session.id, plan };
  }
  const objective = args.positionals[0] ?? (from === null ? null : `The plan in ${from}`);
  if (objective === null) throw noObjective(args.command, snapshot.sessions);
  if (!args.options.new) requireNoOpenSession(snapshot);
  const base = await preflight(opened.workshop, rolesNeeded(args.command, plan !== null));
  if (args.options.new) await leaveOpenSession(opened.workshop);
  return { session: await createSession(opened.workshop, objective, base), plan };
}

/** Without an objective the open session is meant; a plan file, or its objective again, while it has no plan yet. */
function isMeant(session: Session, args: CommandArgs<'plan'> | CommandArgs<'run'>): boolean {
  const [objective] = args.positionals;
  if (objective === undefined && args.options.from === null) return true;
  return session.wave === 'plan' && (objective === undefined || objective === session.objective);
}

/** At a terminal, or with answers given beforehand, a plan with mistakes can be edited. */
function canBeMended({ workshop }: Opened, { globals }: CommandArgs): boolean {
  return workshop.gates.isInteractive || globals.decisionsFile !== null;
}

async function readPlan(file: string): Promise<Plan> {
  return readPlanFile(await readNamedFile(file), file);
}

function openSession(session: Session | null): Session | null {
  return session !== null && session.state !== 'ended' ? session : null;
}

function noObjective(command: string, sessions: readonly Session[]): FlameError {
  const stopped = sessions.filter(({ state }) => state === 'stopped').slice(-3);
  return new FlameError({
    kind: 'usage',
    code: 'no-objective',
    message: `No session is open, so git flame ${command} needs to know what is wanted.`,
    hints: [
      `git flame ${command} 'What you want done'`,
      `git flame ${command} --from FILE`,
      ...stopped.map(({ id }) => `git flame run --session ${id}`),
    ],
  });
}

function rolesNeeded(command: 'plan' | 'run', hasPlan: boolean): readonly Role[] {
  const planner: readonly Role[] = hasPlan ? [] : ['planner'];
  return command === 'plan' ? planner : [...planner, 'worker', 'validator', 'merger'];
}
