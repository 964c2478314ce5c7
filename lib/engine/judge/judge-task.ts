import { workDecision } from '../../core/decisions/decisions.ts';
import { type AgentId, parseAgentId } from '../../domain/ids.ts';
import type { AgentPolicy } from '../../domain/policy.ts';
import { agentIdentity } from '../../domain/state/agent-identity.ts';
import type { Task } from '../../domain/state/task.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';
import type { Workshop } from '../workshop.ts';
import { describeViolation } from './describe-violation.ts';
import { judgeCommits } from './judge-commits.ts';

/** The post-check, as where an agent or a person handed the work in. */
export async function brokenRules(workshop: Workshop, task: Task): Promise<readonly string[]> {
  const { commit: tip, start_commit: start, agent_id: agent } = task;
  const work = workDecision(task, workshop.configDigest);
  if (tip === null || start === null || workshop.origins.has(work)) return [];
  const policy = policyOver(workshop, agent ?? parseAgentId('worker-00000000'), task.file_locks);
  const now = workshop.now().getTime();
  // The work it went on with is by other agents, and was judged when it was handed in.
  const given = task.kept === undefined ? [] : await workshop.git.commitsBetween(start, task.kept.commit);
  const violations = await judgeCommits(workshop, {
    ...{ start, tip, policy },
    // An agent's last commit may have been made for it, by a message and in a name that were not its own.
    ours: [...given.map(({ oid }) => oid), ...(agent === null ? [] : [tip])],
    signer: agent === null ? null : { identity: agentIdentity(agent), began: null, now },
  });
  if (violations.length === 0) workshop.origins.vouch([work]);
  return violations.map((violation) => `${task.id}: [${violation.rule}] ${describeViolation(violation)}`);
}

/** What a worker with these locks may change. */
export function policyOver(
  { config }: Pick<Workshop, 'config'>,
  agentId: AgentId,
  fileLocks: readonly string[],
): AgentPolicy {
  return compilePolicy({ config, role: 'worker', agentId, worktree: '/', fileLocks });
}
