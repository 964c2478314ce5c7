import { workDecision } from '../../core/admission/decisions.ts';
import { agentIdentity } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Workshop } from '../workshop.ts';
import { describeViolation } from './describe-violation.ts';
import { judgeCommits } from './judge-commits.ts';
import { workerPolicy } from './worker-policy.ts';

/** The post-check, as where an agent or a person handed the work in. */
export async function brokenRules(workshop: Workshop, task: Task): Promise<readonly string[]> {
  const { commit: tip, start_commit: start, agent_id: agent } = task;
  const work = workDecision(task, workshop.configDigest);
  if (tip === null || start === null || workshop.decided.has(work)) return [];
  const policy = await workerPolicy(workshop, {
    ...(agent === null ? {} : { agentId: agent }),
    fileLocks: task.file_locks,
    start,
  });
  const now = workshop.now().getTime();
  // The work it went on with is by other agents, and was judged when it was handed in.
  const given = task.kept === undefined ? [] : await workshop.git.commitsBetween(start, task.kept.commit);
  const violations = await judgeCommits(workshop, {
    start,
    tip,
    policy,
    // An agent's last commit may have been made for it, by a message and in a name that were not its own.
    ours: [...given.map(({ oid }) => oid), ...(agent === null ? [] : [tip])],
    signer: agent === null ? null : { identity: agentIdentity(agent), began: null, now },
  });
  if (violations.length === 0) workshop.decided.record([work]);
  return violations.map((violation) => `${task.id}: [${violation.rule}] ${describeViolation(violation)}`);
}
