import type { CommandArgs } from '../domain/command-args.ts';
import type { Io } from '../domain/io.ts';
import { landingRefused } from '../engine/land-approved.ts';
import { noChangeset, reviewWave } from '../engine/review-wave.ts';
import { decisionOf } from './wiring/decide-changeset.ts';
import { exportReview } from './wiring/export-review.ts';
import { preparePullRequest } from './wiring/pull-request.ts';
import { withState } from './wiring/read-state.ts';
import { runWave } from './wiring/run-wave.ts';

/** `git flame review`: each changeset is decided, and what was approved lands. */
export function run(args: CommandArgs<'review'>, io: Io): Promise<number> {
  const decision = decisionOf(args.options);
  const { export: target } = args.options;
  if (target !== null) return withState(args, io, (reading) => exportReview(args, io, reading, target));
  return runWave(args, io, {
    actions: ['review'],
    notDue:
      decision === null && args.options.changeset === null ? null : noChangeset(args.options.changeset, []),
    perform: async ({ workshop }, session) => {
      const only = args.options.changeset;
      const gates =
        decision === null ? workshop.gates : { ...workshop.gates, changeset: async () => decision };
      const { refused } = await reviewWave({ ...workshop, gates }, session, only);
      if (refused > 0) throw landingRefused(refused);
      return 0;
    },
    follow: (opened, session) => preparePullRequest(opened, io, { session, isWanted: args.options.pr }),
  });
}
