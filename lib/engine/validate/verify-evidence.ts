import { compareEvidence } from '../../core/changesets/build-evidence.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { hasAcceptedWork, type TaskWithAcceptedWork } from '../../domain/state/task-schema.ts';
import type { DiagnosticsRerun, Evidence } from '../../domain/state/verdict.ts';
import { interruptedError } from '../graceful-stop.ts';
import { decideAndRecord, requireTaskInView, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import { diagnoseCommit } from './run-diagnostics.ts';
import { collectTaskEvidence } from './validate-task.ts';

/**
 * Runs the diagnostics of judged tasks once more, each on the exact commit of its verdict, and notes beside the
 * verdict whether the same came out. Never changes a verdict or a task: what differs is for a person to look at.
 * Throws FlameError `no-evidence` where there is nothing to compare with.
 */
export async function verifyEvidence(
  context: RunContext,
  session: SessionId,
  only: string | null,
): Promise<readonly DiagnosticsRerun[]> {
  const view = await viewSession(context, session);
  const { snapshot, tasks } = view;
  const asked = only === null ? tasks : [requireTaskInView({ tasks }, only)];
  const known = asked.filter(hasAcceptedWork).flatMap((task) => {
    const evidence = snapshot.verdictsOn(task.commit).findLast((verdict) => verdict.evidence)?.evidence;
    return evidence === undefined ? [] : [{ task, evidence }];
  });
  if (known.length === 0) throw noEvidence(only);
  const done: DiagnosticsRerun[] = [];
  for (const { task, evidence } of known) {
    if (context.signal.aborted) throw interruptedError();
    done.push(await verify(context, view, { task, evidence }));
  }
  return done;
}

async function verify(
  context: RunContext,
  { session }: SessionView,
  { task, evidence }: { readonly task: TaskWithAcceptedWork; readonly evidence: Evidence },
): Promise<DiagnosticsRerun> {
  // A verdict that rests on no checks is compared by what changed alone.
  const checks =
    evidence.commands.length === 0
      ? []
      : await diagnoseCommit(context, task.commit, session.base_commit, {
          session: session.id,
          words: task.id,
        });
  const found = await collectTaskEvidence(context, task, checks);
  const verification: DiagnosticsRerun = {
    session: task.session,
    task: task.id,
    commit: task.commit,
    expected: evidence.verification_hash,
    found: found.verification_hash,
    differences: [...compareEvidence(evidence, found)],
    by: context.gates.person,
    at: timestamp(context),
  };
  await decideAndRecord(context, task.session, () => ({ verification }));
  const { commit, expected, differences } = verification;
  context.events.emit({
    event: 'evidence-verified',
    task: task.id,
    commit,
    expected,
    found: verification.found,
    differences,
  });
  return verification;
}

function noEvidence(task: string | null): FlameError {
  return refusedError(
    'no-evidence',
    task === null
      ? 'No task of this session has a verdict with evidence yet.'
      : `${task} has no verdict with evidence about its commit.`,
    ['git flame validate', 'git flame status'],
  );
}
