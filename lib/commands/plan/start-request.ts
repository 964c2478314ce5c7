import { resolve } from 'node:path';
import { readPlanFile } from '../../config/plan-file.ts';
import type { Plan } from '../../domain/state/plan-schema.ts';
import { cycleNumber, deriveSessionTitle } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { requireValidObjective } from '../../engine/session/create-session.ts';
import { readFileNamedByPerson, readStreamAsText } from '../run-context/open-gates.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';

/** The request to `plan` or `run`. */
export interface StartRequest {
  readonly command: 'plan' | 'run';
  readonly objective: string | null;
  /** A plan file as it was typed; `-` is standard input. */
  readonly from: string | null;
  /** A new session, beside those that are open. */
  readonly isBeside: boolean;
  /** A model leads. */
  readonly isLed: boolean;
}

/** Throws FlameError `bad-objective`. */
export function readStartRequest(args: CommandArgs<'plan'> | CommandArgs<'run'>): StartRequest {
  const { from, new: isBeside } = args.options;
  const isLed = 'queen' in args.options && args.options.queen;
  const objective = args.positionals[0] ?? null;
  if (objective !== null) requireValidObjective(objective);
  return { command: args.command, objective, from, isBeside, isLed };
}

/** The session that is open, and nothing new. */
export const continueOpenSession: StartRequest = {
  command: 'run',
  objective: null,
  from: null,
  isBeside: false,
  isLed: false,
};

/** Without an objective the open session is meant; a plan file, or its objective again, while it has no plan yet. */
export function selectsOpenSession(
  session: Pick<Session, 'wave' | 'objective'>,
  { objective, from, isBeside }: StartRequest,
): boolean {
  if (isBeside) return false;
  if (objective === null && from === null) return true;
  return session.wave === 'plan' && (objective === null || objective === session.objective);
}

/** The plan that `--from` names; `-` is standard input. Throws FlameErrors `no-such-file`, `bad-plan`. */
export async function readPlan(from: string, io: Io): Promise<Plan> {
  if (from === '-') return readPlanFile(await readStreamAsText(io.stdin), describePlanSource(from));
  const file = resolve(io.cwd, from);
  return readPlanFile(await readFileNamedByPerson(file), file);
}

/** The source that `--from` names, for a person to read. */
export function describePlanSource(from: string): string {
  return from === '-' ? 'standard input' : from;
}

/** Reports which session a command that named none continues. */
export function reportSelectedSession({ context }: CommandContext, session: Session): void {
  const { id, wave } = session;
  const message = `Continuing ${id}, cycle ${cycleNumber(session)}, wave ${wave}: ${deriveSessionTitle(session)}`;
  const details = ["to start another one instead: git flame run --new 'What you want done'"];
  context.events.emit({ event: 'notice', level: 'info', message, details });
}
