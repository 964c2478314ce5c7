import type { CommandArgs } from '../../domain/shown/command.ts';
import type { Session } from '../../domain/state/session.ts';
import { requireObjective } from '../../engine/session/create-session.ts';

/** The request to `plan` or `run`. */
export interface StartWish {
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
export function readStartWish(args: CommandArgs<'plan'> | CommandArgs<'run'>): StartWish {
  const { from, new: isBeside } = args.options;
  const isLed = 'queen' in args.options && args.options.queen;
  const objective = args.positionals[0] ?? null;
  if (objective !== null) requireObjective(objective);
  return { command: args.command, objective, from, isBeside, isLed };
}

/** The session that is open, and nothing new. */
export const goingOn: StartWish = {
  command: 'run',
  objective: null,
  from: null,
  isBeside: false,
  isLed: false,
};

/** Without an objective the open session is meant; a plan file, or its objective again, while it has no plan yet. */
export function isMeant(
  session: Pick<Session, 'wave' | 'objective'>,
  { objective, from, isBeside }: StartWish,
): boolean {
  if (isBeside) return false;
  if (objective === null && from === null) return true;
  return session.wave === 'plan' && (objective === null || objective === session.objective);
}
