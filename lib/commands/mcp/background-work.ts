import type { SessionId } from '../../domain/ids.ts';
import { workAssigned } from '../../engine/queen/lead-work.ts';
import { refusal } from '../../engine/queen/refusals.ts';
import { resume } from '../../engine/run-session.ts';
import type { Workshop } from '../../engine/workshop.ts';
import { adviseModel } from './advise-model.ts';
import { asFlameError } from './answer.ts';
import type { WorkState } from './desk.ts';

/** Work on what is assigned, beside the calls of whoever leads. */
export interface BackgroundWork extends WorkState {
  /** Starts it, or has it look once more before it ends. */
  start(workshop: Workshop, session: SessionId): void;
  /** Resolves once nothing works any more. Throws FlameError `still-running` where that takes longer than a moment. */
  settle(): Promise<void>;
  /** Resolves once it has ended, however long that takes. */
  readonly ended: Promise<void>;
}

type Locked = <T>(session: SessionId, work: () => Promise<T>) => Promise<T>;

const momentMs = 5_000;

/** `locked` keeps other commands from working on the session meanwhile. */
export function openBackgroundWork(
  locked: Locked,
  {
    tellLead,
    onTrouble = () => undefined,
  }: { readonly tellLead: string; onTrouble?(this: void, error: unknown): void },
): BackgroundWork {
  let trouble: WorkState['trouble'] = null;
  let isRunning = false;
  let isWanted = false;
  let ended: Promise<void> = Promise.resolve();

  const work = async (workshop: Workshop, session: SessionId): Promise<void> => {
    try {
      while (isWanted) {
        isWanted = false;
        await locked(session, async () => {
          await resume(workshop, session);
          await workAssigned(workshop, session);
        });
      }
    } catch (error) {
      const known = asFlameError(error);
      const { code, message, hints } = known;
      if (workshop.signal.aborted) return;
      onTrouble(error);
      trouble = { code, message, ...adviseModel(known, tellLead) };
      // Who reads the log of a chat's servers, or sits at the terminal of a run, is told as well.
      const told = `Work has stopped: ${message}`;
      workshop.events.emit({ event: 'notice', level: 'warning', message: told, details: hints });
    } finally {
      isRunning = false;
    }
  };

  return {
    get trouble() {
      return trouble;
    },
    get isRunning() {
      return isRunning;
    },
    get ended() {
      return ended;
    },
    start: (workshop, session) => {
      isWanted = true;
      trouble = null;
      if (isRunning) return;
      isRunning = true;
      ended = work(workshop, session);
    },
    settle: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), momentMs);
      });
      const first = await Promise.race([ended.then(() => 'ended' as const), late]);
      clearTimeout(timer);
      if (first === 'late' && isRunning)
        throw refusal({
          code: 'still-running',
          message: 'Agents still work, or wait for their turn.',
          next: 'wait_for_workers',
        });
    },
  };
}
