import type { Config } from '../../domain/config/config.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { Workshop } from '../../engine/run-context.ts';
import type { QuestionQueue } from '../../ui/questions/question-queue.ts';
import { type Reading, withState } from '../context/read-state.ts';
import { buildWorkshop } from './build-workshop.ts';
import { makeReady } from './make-ready.ts';
import type { HeldPage } from './review-page.ts';

export interface Opened extends Reading {
  readonly workshop: Workshop;
  readonly config: Config;
  /** Queue of its questions, for boards. */
  readonly queue: QuestionQueue;
  readonly page: HeldPage;
}

/** Opens everything a command that works needs, for the time of `work`; agents still running are ended afterwards. */
export function withWorkshop(
  args: CommandArgs,
  io: Io,
  work: (opened: Opened) => Promise<number>,
): Promise<number> {
  return withState(args, io, async (state) => {
    const ready = await makeReady(state, io);
    const { workshop, output, queue, page, close } = await buildWorkshop(ready, io);
    try {
      return await work({ ...ready.reading, output, workshop, queue, page, config: ready.loaded.config });
    } finally {
      await close();
    }
  });
}
