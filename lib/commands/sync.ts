import { allProposals, newProposals } from '../core/list-proposals.ts';
import type { CommandArgs } from '../domain/command-args.ts';
import type { GitPort } from '../domain/git-port.ts';
import type { Io } from '../domain/io.ts';
import type { Origins } from '../domain/origins.ts';
import type { Proposals } from '../domain/status.ts';
import type { Snapshot, StateProblem, Store } from '../domain/store-port.ts';
import type { GitContext } from '../git/run-git.ts';
import { pickRemote } from '../store/sync-pick-remote.ts';
import { syncState } from '../store/sync-state.ts';
import { renderIncoming } from '../ui/render-incoming.ts';
import { renderReceived } from '../ui/render-proposals.ts';
import { renderSync } from '../ui/render-sync.ts';
import { lostClaims, ownClaims } from './wiring/lost-claims.ts';
import { withState } from './wiring/read-state.ts';
import { standingOf } from './wiring/standing.ts';

/** `git flame sync`: merges the state with a remote's and sends it there. Conflicts are settled by rule, none is asked. */
export function run(args: CommandArgs<'sync'>, io: Io): Promise<number> {
  return withState(args, io, async ({ git, store, origins, output }) => {
    const context = standingIn(git, io);
    const remote = await pickRemote(context, args.positionals[0] ?? null);
    const { commonDir, objectFormat } = git.repository;
    const isDry = args.globals.dryRun;
    const held = isDry ? [] : await ownClaims({ git, store });
    const { problems } = await store.snapshot();
    const before = outstanding(await store.snapshot(), origins);
    const result = await syncState({
      context,
      commonDir,
      objectFormat,
      remote,
      isDry,
      passesDamage: args.options.damaged,
    });
    const proposals = newProposals(before, outstanding(await store.snapshot(), origins));
    output.json({ schema_version: 1, dry_run: isDry, ...result, proposals: Object.fromEntries(proposals) });
    for (const { ref, object, message } of result.damage)
      output.warn(`${ref} ${object} ${message}; git flame doctor --repair mends it`);
    const received = renderReceived([...proposals.values()], remote);
    const changes = renderIncoming(result.changes, output.style);
    if (!args.globals.quiet)
      output.result([...renderSync(result, isDry), ...changes, ...received].join('\n'));
    for (const { ref, object, message } of await damagedBy(store, problems))
      output.warn(
        `What came from ${remote} is damaged: ${ref} ${object} ${message}; git flame doctor --repair`,
      );
    for (const { note, what, kept, lost } of result.conflicts)
      output.warn(`${note}: ${what}: kept ${kept}, not ${lost}`);
    for (const lost of await lostClaims(store, held)) output.warn(lost);
    if (result.commits.unknown.length > 0)
      output.warn(
        `${result.commits.unknown.length} commits that tasks name are neither here nor on ${remote}.`,
      );
    return 0;
  });
}

/** What can't be read and could before. */
async function damagedBy(store: Store, before: readonly StateProblem[]): Promise<readonly StateProblem[]> {
  const known = new Set(before.map(({ ref, object, key }) => `${ref} ${object} ${key}`));
  return (await store.snapshot()).problems.filter(
    ({ ref, object, key }) => !known.has(`${ref} ${object} ${key}`),
  );
}

/** What waits for a word of this clone's person, by session. */
function outstanding(snapshot: Snapshot, origins: Origins): ReadonlyMap<string, Proposals> {
  return allProposals(snapshot, (session) => standingOf(snapshot, session, origins));
}

/** git as the person would call it here: where remotes with relative paths are found. */
function standingIn({ repository }: GitPort, io: Io): GitContext {
  const { gitDir, workTree } = repository;
  return {
    cwd: workTree ?? gitDir,
    env: io.env,
    variables: { GIT_DIR: gitDir, ...(workTree === null ? {} : { GIT_WORK_TREE: workTree }) },
  };
}
