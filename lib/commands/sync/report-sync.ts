import { newProposals } from '../../core/admission/list-proposals.ts';
import type { StateProblem, Store } from '../../domain/ports/store-port.ts';
import type { CommandArgs } from '../../domain/shown/command.ts';
import type { Task } from '../../domain/state/task.ts';
import type { SyncResult } from '../../store/sync/sync.ts';
import { renderIncoming, renderSync } from '../../ui/render/render-sync.ts';
import {
  renderReceived,
  renderSettled,
  renderSigned,
  renderUnverified,
} from '../../ui/render/render-unverified.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { Reading } from '../open/read-state.ts';
import { lostClaims } from './lost-claims.ts';
import type { Heard } from './read-heard.ts';
import type { EndsSettled } from './settle-ends.ts';

interface Synced {
  readonly remote: string;
  readonly result: SyncResult;
}

interface Reported extends Synced {
  readonly before: Heard;
  readonly after: Heard;
  /** Results of --restore and --accept, each time. */
  readonly settled: readonly EndsSettled[];
}

/** Reports what was shared, what came in, and which proposals wait for a decision. */
export async function reportSync(
  { globals: { dryRun, quiet } }: Pick<CommandArgs<'sync'>, 'globals'>,
  { store, output }: Reading,
  { remote, result, before, after, settled }: Reported,
): Promise<void> {
  const proposals = newProposals(before.proposals, after.proposals);
  const signed = newProposals(before.signed, after.signed);
  const { unverified: doubts } = await store.snapshot();
  const restored = [...new Set(settled.flatMap((one) => one.restored))];
  const accepted = [...new Set(settled.flatMap((one) => one.accepted))];
  output.json({
    dry_run: dryRun,
    ...result,
    proposals: Object.fromEntries(proposals),
    signed: Object.fromEntries(signed),
    refused_signatures: after.refused,
    restored,
    accepted,
    doubts,
  });
  const changes = renderIncoming(result.changes, output.style);
  const ends = [...renderSettled({ restored, accepted }), ...renderUnverified(doubts, output.style)];
  const received = [...renderSigned(signed), ...renderReceived([...proposals.values()], remote)];
  if (!quiet) output.result([...renderSync(result, dryRun), ...changes, ...received, ...ends].join('\n'));
}

interface Warned extends Synced {
  /** Notes that could not be read before. */
  readonly problems: readonly StateProblem[];
  /** Tasks this person had claimed before. */
  readonly held: readonly Task[];
}

/** Names what could not be shared, read or kept. */
export async function warnOfSync(
  { store, output }: Reading,
  { remote, result, problems, held }: Warned,
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

/** Finds notes that can't be read any more. */
async function damagedBy(store: Store, before: readonly StateProblem[]): Promise<readonly StateProblem[]> {
  const known = new Set(before.map(({ ref, object, key }) => `${ref} ${object} ${key}`));
  return (await store.snapshot()).problems.filter(
    ({ ref, object, key }) => !known.has(`${ref} ${object} ${key}`),
  );
}
