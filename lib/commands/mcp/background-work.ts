import { setTimeout as wait } from 'node:timers/promises';
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
const stopped = { event: 'notice', level: 'warning' } as const;

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
      workshop.events.emit({ ...stopped, message: `Work has stopped: ${message}`, details: hints });
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
      await aMoment(ended);
      if (isRunning)
        throw refusal({
          code: 'still-running',
          message: 'Agents still work, or wait for their turn.',
          next: 'wait_for_workers',
        });
    },
  };
}

/** Resolves once the work has, or a moment later. */
async function aMoment(ended: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = wait(momentMs, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([ended, late]);
  timer.abort();
}
