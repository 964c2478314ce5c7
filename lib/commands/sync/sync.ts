import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { pickRemote } from '../../store/sync/remote.ts';
import { syncState } from '../../store/sync/sync.ts';
import { gitHere } from '../open/git-here.ts';
import { withState } from '../open/read-state.ts';
import { ownClaims } from './lost-claims.ts';
import { readHeard, warnOfTrust } from './read-heard.ts';
import { reportSync, warnOfSync } from './report-sync.ts';
import { type EndsSettled, settleEnds } from './settle-ends.ts';
import { signDecisions } from './sign-decisions.ts';

/** `git flame sync`: merges the state with a remote's and sends it there. Conflicts are settled by rule, none is asked. */
export function run(args: CommandArgs<'sync'>, io: Io): Promise<number> {
  return withState(args, io, async (reading) => {
    const { git, store, decided } = reading;
    const { restore, accept, damaged: passesDamage, keepMine: keepsMine } = args.options;
    const wishes = { restore: restore ?? [], accept: accept ?? [] };
    const isDry = args.globals.dryRun;
    const context = gitHere(git, io);
    const remote = await pickRemote(context, args.positionals[0] ?? null);

    // Read first: the report names what is new since, and what was lost. A dry run loses nothing.
    const held = isDry ? [] : await ownClaims({ git, store }, io);
    const { problems } = await store.snapshot();
    const before = await readHeard(io, reading);
    // Before the push, which takes the signatures along: where one can't be made, nothing is sent.
    if (!isDry) await signDecisions(io, reading);
    // Done within the merge, by what counted before it, and again each time that another clone was first.
    const settled: EndsSettled[] = [];
    const settle = async (): Promise<void> => {
      const isAgain = settled.length > 0;
      settled.push(await settleEnds({ ...reading, decided: before.decided }, { ...wishes, isAgain }));
    };
    const { commonDir, objectFormat } = git.repository;
    const result = await syncState({
      context,
      commonDir,
      objectFormat,
      remote,
      isDry,
      passesDamage,
      keepsMine,
      ends: await store.mergeJudge(),
      ...(wishes.restore.length + wishes.accept.length === 0 ? {} : { settle }),
    });
    // The refs moved without the store: it looks again whether all of the state was decided here.
    if (!isDry) await store.admit();
    // Signatures came in as well, and some of them take decisions back that counted until now.
    const after = await readHeard(io, reading);
    if (!isDry) decided.revoke(after.withdrawn);
    await reportSync(args, reading, { remote, result, before, after, settled });
    await warnOfSync(reading, { remote, result, problems, held });
    await warnOfTrust(io, { ...reading, refused: after.refused });
    return 0;
  });
}
