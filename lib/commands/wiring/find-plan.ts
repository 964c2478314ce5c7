import { resolve } from 'node:path';
import { readPlanFile } from '../../config/read-plan-file.ts';
import type { CommandArgs } from '../../domain/command-args.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Io } from '../../domain/io.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Role } from '../../domain/role.ts';
import type { Session } from '../../domain/session.ts';
import { createSession, leaveOpenSession } from '../../engine/create-session.ts';
import { preflight } from '../../engine/preflight.ts';
import { readNamedFile } from './open-gates.ts';
import type { Opened } from './open-workshop.ts';
import { pickSession, startFolder } from './read-state.ts';

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
  const plan = from === null ? null : await readPlan(resolve(startFolder(io), from));
  const objective = args.positionals[0] ?? (from === null ? null : `The plan in ${from}`);
  const open = openSession(pickSession(await opened.store.snapshot(), args));
  if (objective === null || (!args.options.new && open?.wave === 'plan' && open.objective === objective))
    return { session: requireOpen(open, args.command).id, plan };
  const base = await preflight(opened.workshop, rolesNeeded(args.command, plan !== null));
  if (args.options.new) await leaveOpenSession(opened.workshop);
  return { session: await createSession(opened.workshop, objective, base), plan };
}

async function readPlan(file: string): Promise<Plan> {
  return readPlanFile(await readNamedFile(file), file);
}

function openSession(session: Session | null): Session | null {
  return session !== null && session.state !== 'ended' ? session : null;
}

function requireOpen(session: Session | null, command: string): Session {
  if (session !== null) return session;
  throw new FlameError({
    kind: 'usage',
    code: 'no-objective',
    message: `No session is open, so git flame ${command} needs to know what is wanted.`,
    hints: [`git flame ${command} 'What you want done'`, `git flame ${command} --from FILE`],
  });
}

function rolesNeeded(command: 'plan' | 'run', hasPlan: boolean): readonly Role[] {
  const planner: readonly Role[] = hasPlan ? [] : ['planner'];
  return command === 'plan' ? planner : [...planner, 'worker', 'validator', 'merger'];
}
