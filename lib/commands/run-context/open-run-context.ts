import type { Config } from '../../domain/config/config-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { RunContext } from '../../engine/run-context.ts';
import type { QuestionQueue } from '../../ui/questions/question-queue.ts';
import { type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { buildRunContext } from './build-run-context.ts';
import { prepareForWork } from './prepare-for-work.ts';
import type { ReviewPageOpener } from './review-page-opener.ts';

export interface CommandContext extends ReadContext {
  readonly context: RunContext;
  readonly config: Config;
  /** Queue of its questions, for boards. */
  readonly queue: QuestionQueue;
  readonly page: ReviewPageOpener;
}

/** Opens everything a command that works needs, for the time of `work`; agents still running are ended afterwards. */
export function withRunContext(
  args: CommandArgs,
  io: Io,
  work: (opened: CommandContext) => Promise<number>,
): Promise<number> {
  return withRepositoryState(args, io, async (state) => {
    const ready = await prepareForWork(state, io);
    const { context, output, queue, page, close } = await buildRunContext(ready, io);
    try {
      return await work({ ...ready.reading, output, context, queue, page, config: ready.loaded.config });
    } finally {
      await close();
    }
  });
}
