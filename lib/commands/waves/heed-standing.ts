import type { SessionId } from '../../domain/ids.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { ChangesetRequest } from '../../domain/state/changeset.ts';
import { viewSession } from '../../engine/record.ts';
import { ownRequests, recordMerged } from '../../engine/review/recorded-requests.ts';
import { fetchBranch } from '../../git/refs/remote-branch.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { forgeOf, openForge } from '../forge/open-forge.ts';
import { isForgeError } from '../forge/run-forge.ts';
import type { Opened } from '../open/open-workshop.ts';

interface Where {
  readonly id: SessionId;
  readonly remote: string;
}

/**
 * Records requests that were merged on their host, by any merge method, as landed: those stacked on them follow.
 * Resolves to the groups whose request was closed there: they are neither pushed nor opened again.
 */
export async function heedStanding(opened: Opened, io: Io, where: Where): Promise<ReadonlySet<string>> {
  const { session } = await viewSession(opened.workshop, where.id);
  const closed = new Set<string>();
  for (const request of (await ownRequests(opened.workshop, session)).own) {
    const { pull_request: url, merged } = request;
    if (url === null || merged !== null) continue;
    const forge = openForge(forgeOf(url), {
      cwd: opened.workshop.root,
      io,
      retry: 'git flame review --pr',
    });
    try {
      const { state, head } = await forge.standing(url);
      if (state === 'closed') {
        closed.add(request.group);
        opened.output.info(
          `The ${forge.noun} of ${request.group} was closed there and is left alone: ${url}`,
        );
        opened.output.hint(forge.reopenLine(url));
      }
      if (state === 'merged' && (await isOnBase(opened, where, request)))
        await takeMerged(opened, io, where, { request, head, base: session.base_branch });
    } catch (error) {
      // The next step on this request fails, and reports why.
      if (!isForgeError(error)) throw error;
    }
  }
  return closed;
}

/** Whether a merged request is on the base: one that was merged into another's branch lands with that one. */
async function isOnBase({ workshop }: Opened, { id }: Where, { target }: ChangesetRequest): Promise<boolean> {
  const { session } = await viewSession(workshop, id);
  if (target === null || target === session.base_branch) return true;
  const into = session.landing?.requests?.find(({ branch }) => branch === target);
  return into === undefined || into.merged !== null;
}

async function takeMerged(
  { workshop, output, git }: Opened,
  io: Io,
  { id, remote }: Where,
  {
    request,
    head,
    base: branch,
  }: { readonly request: ChangesetRequest; readonly head: string; readonly base: string },
): Promise<void> {
  const { group, pull_request: url } = request;
  const tip = await fetchBranch({ cwd: workshop.root, env: io.env }, remote, branch);
  const base = tip === null ? null : await git.resolveCommit(tip);
  if (base === null) {
    const message = `The pull request of ${group} was merged there, but ${branch} could not be had of ${remote}, so what stands on it stays as it is.`;
    const details = [`git fetch ${shellQuote(remote)} ${shellQuote(branch)}`, 'git flame review --pr'];
    workshop.events.emit({ event: 'notice', level: 'warning', message, details });
    return;
  }
  const isOver = await recordMerged(workshop, id, { request, head, base });
  const rest = isOver ? '' : ' What landed of it since is shown in another one.';
  output.info(`The pull request of ${group} was merged there: ${url ?? ''}.${rest}`);
}
