import { agentIdentity } from '../domain/ids.ts';
import type { AgentPolicy, Decision } from '../domain/policy.ts';
import { type ChangedEntry, checkEntry } from './check-branch.ts';
import { judgeTrailers } from './check-signature.ts';
import { judgeCommitMessage } from './commit-message.ts';

/** A git hook's facts about a commit that is about to be made. */
export type GitHookCall =
  | { readonly hook: 'commit-msg'; readonly message: string }
  | { readonly hook: 'pre-commit'; readonly staged: readonly ChangedEntry[] };

const mostShown = 5;

/** Judges a commit before it's made, by the rules the finished branch is judged by; contents are left to that. */
export function decideGitHook(policy: AgentPolicy, call: GitHookCall): Decision {
  const found =
    call.hook === 'commit-msg'
      ? [
          judgeCommitMessage(policy, call.message),
          judgeTrailers(agentIdentity(policy.agent_id), call.message),
        ].filter((one) => one !== null)
      : call.staged.flatMap((entry) => checkEntry(policy, entry));
  const [first] = found;
  if (first === undefined) return { decision: 'allow', rule: 'allowed', details: '' };
  const more = found.length - mostShown;
  const lines = found.slice(0, mostShown).map(({ details }) => details);
  const details = [...lines, ...(more > 0 ? [`And ${more} more.`] : [])].join('\n');
  return { decision: 'block', rule: first.rule, details };
}
