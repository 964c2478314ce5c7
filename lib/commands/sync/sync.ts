import type { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { renderSignedSessionText, type SessionSignature, signatureNamespace } from '../../domain/state/signatures.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { findFirstCommitOfBranch } from '../../git/objects/read-commits.ts';
import { readGitIdentity } from '../../git/process/git-identity.ts';
import { signingFailedError } from '../../git/process/signing-programs.ts';
import { signTextAsGitWould } from '../../git/process/ssh-signature.ts';
import { chooseRemote } from '../../store/sync/remote-refs.ts';
import { syncState } from '../../store/sync/sync-state.ts';
import { saveSessionSignature } from '../../store/write/notes-outside-state.ts';
import { recordCloneFolder } from '../../trust/clone-folders.ts';
import { cloneName } from '../../util/machine-key.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { findGitContextHere, type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { findSigningContext, readTrustConfig } from '../context/trust-signed.ts';
import { isDecidableSession } from '../context/with-trusted-decisions.ts';
import {
  listOwnClaimedTasks,
  readTrustAndProposals,
  reportSync,
  warnOfRefusedSignatures,
  warnOfSync,
} from './report-sync.ts';
import { type RestoredAndAccepted, restoreAndAcceptCompletions } from './restore-and-accept.ts';

/** `git flame sync`: merges the state with a remote's and sends it there. Conflicts are settled by rule, none is asked. */
export function run(args: CommandArgs<'sync'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async (reading) => {
    const { git, store, decided } = reading;
    const { restore, accept, damaged: passesDamage, keepMine: keepsMine } = args.options;
    const wishes = { restore: restore ?? [], accept: accept ?? [] };
    const isDry = args.globals.dryRun;
    const context = findGitContextHere(git, io);
    const remote = await chooseRemote(context, args.positionals[0] ?? null);

    // Read first: the report names what is new since, and what was lost. A dry run loses nothing.
    const held = isDry ? [] : await listOwnClaimedTasks({ git, store }, io);
    const { problems } = await store.snapshot();
    const before = await readTrustAndProposals(io, reading);
    // Before the push, which takes the signatures along: where one can't be made, nothing is sent.
    if (!isDry) await signDecisions(io, reading);
    // Done within the merge, by what counted before it, and again each time that another clone was first.
    const settled: RestoredAndAccepted[] = [];
    const settle = async (): Promise<void> => {
      const isAgain = settled.length > 0;
      settled.push(await restoreAndAcceptCompletions({ ...reading, decided: before.decided }, { ...wishes, isAgain }));
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
      ends: await store.openMergeCompletionCheck(),
      ...(wishes.restore.length + wishes.accept.length === 0 ? {} : { settle }),
    });
    // The refs moved without the store: it looks again whether all of the state was decided here.
    if (!isDry) await store.admit();
    if (!isDry) recordCloneFolder(io.env, git.repository);
    // Signatures came in as well, and some of them take decisions back that counted until now.
    const after = await readTrustAndProposals(io, reading);
    if (!isDry) decided.revoke(after.withdrawn);
    await reportSync(args, reading, { remote, result, before, after, settled });
    await warnOfSync(reading, { remote, result, problems, held });
    await warnOfRefusedSignatures(io, { ...reading, refused: after.refused });
    return 0;
  });
}

/**
 * Signs what was decided in this clone and isn't signed yet, if `trust.sign` is set and the person allowed
 * that; of a session that has ended once more, with its end. Resolves to the sessions. Throws FlameErrors `signing-failed` and `signing-untrusted`.
 */
async function signDecisions(
  io: Io,
  { git, store, decided, configFile }: Pick<ReadContext, 'git' | 'store' | 'decided' | 'configFile'>,
): Promise<readonly SessionId[]> {
  const { trust, problem } = await readTrustConfig(io, { git, configFile });
  if (trust === null || !trust.sign || problem !== null) return [];
  const sessions = (await store.snapshot()).sessions.filter(({ archived_at: at }) => at === undefined);
  const { commonDir, objectFormat } = git.repository;
  const options = { context: { cwd: io.cwd, env: io.env }, commonDir, objectFormat };
  const known = new Map((await store.signatures()).map(({ session, seals }) => [session, seals]));
  const place = cloneName(commonDir);
  const signed: SessionId[] = [];
  for (const session of sessions) {
    const made = decided.listDigestsMadeHere(session.id);
    const last = known.get(session.id)?.find((one) => one.place === place);
    const isKnown = last === undefined ? made.decisions.length + made.settled.length === 0 : isSame(last, made);
    if (isKnown) continue;
    const seal = await sealOf(session, { ...made, place }, { git, io });
    // The base of an ended session may be gone: then nothing waits for its signature.
    if (seal === null && !isDecidableSession(session)) continue;
    if (seal === null) throw noBase(session.id, session.base_branch);
    await saveSessionSignature(options, session.id, seal);
    signed.push(session.id);
  }
  return signed;
}

type Made = ReturnType<DecisionLog['listDigestsMadeHere']>;

/** null: the branch isn't here, or not its beginning. */
async function sealOf(
  { id, base_branch }: Session,
  { decisions, settled, place }: Made & Pick<SessionSignature, 'place'>,
  { git, io }: Pick<ReadContext, 'git'> & { readonly io: Io },
): Promise<SessionSignature | null> {
  const context = findSigningContext({ git }, io);
  const repository = await findFirstCommitOfBranch(context, base_branch);
  if (repository === null) return null;
  const { name } = await readGitIdentity(context, 'GIT_COMMITTER_IDENT');
  const by = /<([^>]*)>$/.exec(name)?.[1] ?? '';
  const unsigned = {
    repository,
    by,
    at: new Date().toISOString(),
    place,
    decisions: [...decisions],
    settled: [...settled],
  };
  const signature = await signTextAsGitWould(context, renderSignedSessionText(id, unsigned), signatureNamespace);
  return { ...unsigned, signature };
}

function isSame(last: SessionSignature, made: Made): boolean {
  return JSON.stringify([last.decisions, last.settled]) === JSON.stringify([made.decisions, made.settled]);
}

function noBase(session: SessionId, branch: string): FlameError {
  return signingFailedError(
    `Your decisions in ${session} could not be signed (trust.sign), so nothing was sent: branch ${branch} or its first commit is missing here, as in a shallow clone.`,
    {
      hints: [
        `git branch ${shellQuote(branch)} ${shellQuote(`origin/${branch}`)}`,
        'git fetch --unshallow',
        'git flame sync',
      ],
    },
  );
}
