import { newProposals } from '../../core/admission/list-proposals.ts';
import type { StateProblem, Store } from '../../domain/ports/store-port.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import { pickRemote } from '../../store/sync/pick-remote.ts';
import { type SyncResult, syncState } from '../../store/sync/sync.ts';
import { renderIncoming } from '../../ui/render/render-incoming.ts';
import { renderReceived, renderSigned } from '../../ui/render/render-proposals.ts';
import { renderSync } from '../../ui/render/render-sync.ts';
import { renderSettled, renderUnverified } from '../../ui/render/render-unverified.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { gitHere } from '../open/git-here.ts';
import { type Reading, withState } from '../open/read-state.ts';
import { lostClaims, ownClaims } from './lost-claims.ts';
import { type Heard, readHeard, warnOfTrust } from './read-heard.ts';
import { type EndsSettled, settleEnds } from './settle-ends.ts';
import { signDecisions } from './sign-decisions.ts';

/** `git flame sync`: merges the state with a remote's and sends it there. Conflicts are settled by rule, none is asked. */
export function run(args: CommandArgs<'sync'>, io: Io): Promise<number> {
  return withState(args, io, async (reading) => {
    const { git, store } = reading;
    const context = gitHere(git, io);
    const remote = await pickRemote(context, args.positionals[0] ?? null);
    const { commonDir, objectFormat } = git.repository;
    const isDry = args.globals.dryRun;
    const held = isDry ? [] : await ownClaims({ git, store }, io);
    const { problems } = await store.snapshot();
    const before = await readHeard(io, reading);
    if (!isDry) await signDecisions(io, reading);
    const settling = settlingEnds(args, { ...reading, decided: before.decided });
    const result = await syncState({
      context,
      commonDir,
      objectFormat,
      remote,
      isDry,
      passesDamage: args.options.damaged,
      keepsMine: args.options.keepMine,
      ends: await store.mergeJudge(),
      ...(settling.settle === null ? {} : { settle: settling.settle }),
    });
    if (!isDry) await store.admit();
    const after = await readHeard(io, reading);
    if (!isDry) reading.decided.revoke(after.withdrawn);
    await report(args, reading, { isDry, remote, result, before, after, settled: settling.settled });
    await warn(reading, { remote, result, problems, held });
    await warnOfTrust(io, { ...reading, refused: after.refused });
    return 0;
  });
}

/** What --restore and --accept ask for, done as often as something new comes in, and what came of it. */
function settlingEnds(
  { options }: CommandArgs<'sync'>,
  reading: Reading,
): { readonly settle: (() => Promise<void>) | null; readonly settled: EndsSettled } {
  const [restore, accept] = [options.restore ?? [], options.accept ?? []];
  const restored = new Set<string>();
  const accepted = new Set<string>();
  let isAgain = false;
  const settle = async (): Promise<void> => {
    const now = await settleEnds(reading, { restore, accept, isAgain });
    for (const id of now.restored) restored.add(id);
    for (const id of now.accepted) accepted.add(id);
    isAgain = true;
  };
  return {
    settle: restore.length + accept.length === 0 ? null : settle,
    settled: {
      get restored() {
        return [...restored];
      },
      get accepted() {
        return [...accepted];
      },
    },
  };
}

interface Synced {
  readonly remote: string;
  readonly result: SyncResult;
}

/** Says what was shared, what came in, and what of it waits for a word. */
async function report(
  { globals }: CommandArgs<'sync'>,
  { store, output }: Reading,
  {
    isDry,
    remote,
    result,
    before,
    after,
    settled,
  }: Synced & {
    readonly isDry: boolean;
    readonly before: Heard;
    readonly after: Heard;
    readonly settled: EndsSettled;
  },
): Promise<void> {
  const proposals = newProposals(before.proposals, after.proposals);
  const signed = newProposals(before.signed, after.signed);
  const { unverified: doubts } = await store.snapshot();
  output.json({
    ...{ dry_run: isDry, ...result, proposals: Object.fromEntries(proposals) },
    ...{ signed: Object.fromEntries(signed), refused_signatures: after.refused },
    ...{ restored: settled.restored, accepted: settled.accepted, doubts },
  });
  const changes = renderIncoming(result.changes, output.style);
  const ends = [...renderSettled(settled), ...renderUnverified(doubts, output.style)];
  const received = [...renderSigned(signed), ...renderReceived([...proposals.values()], remote)];
  if (!globals.quiet)
    output.result([...renderSync(result, isDry), ...changes, ...received, ...ends].join('\n'));
}

/** Names what could not be shared, read or kept. */
async function warn(
  { store, output }: Reading,
  {
    remote,
    result,
    problems,
    held,
  }: Synced & {
    readonly problems: readonly StateProblem[];
    readonly held: Awaited<ReturnType<typeof ownClaims>>;
  },
): Promise<void> {
  for (const { ref, object, message } of result.damage)
    output.warn(`${ref} ${object} ${message}; git flame doctor --repair mends it`);
  for (const { ref, message } of result.unreadable) {
    output.warn(`${ref} of ${remote} is left as it is, the rest is shared: ${message}`);
    output.hint(
      `take it away there, the next sync sends yours: git push ${shellQuote(remote)} :${shellQuote(ref)}`,
    );
  }
  for (const { ref, object, message } of await damagedBy(store, problems))
    output.warn(
      `What came from ${remote} is damaged: ${ref} ${object} ${message}; git flame doctor --repair`,
    );
  for (const { note, what, kept, lost } of result.conflicts)
    output.warn(`${note}: ${what}: kept ${kept}, not ${lost}`);
  for (const lost of await lostClaims(store, held)) output.warn(lost);
  const { unknown } = result.commits;
  if (unknown.length > 0)
    output.warn(`${unknown.length} commits that tasks name are neither here nor on ${remote}.`);
}

/** What can't be read and could before. */
async function damagedBy(store: Store, before: readonly StateProblem[]): Promise<readonly StateProblem[]> {
  const known = new Set(before.map(({ ref, object, key }) => `${ref} ${object} ${key}`));
  return (await store.snapshot()).problems.filter(
    ({ ref, object, key }) => !known.has(`${ref} ${object} ${key}`),
  );
}
