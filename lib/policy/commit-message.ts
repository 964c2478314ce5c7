import type { AgentPolicy } from '../domain/policy.ts';
import { type Objection, objection } from './rules.ts';

/**
 * Returns the objection to a commit message; null: none. The subject line decides, unless the pattern itself
 * speaks of line breaks: then the whole message does.
 */
export function judgeCommitMessage(
  policy: Pick<AgentPolicy, 'commit_pattern' | 'commit_example'>,
  message: string,
): Objection | null {
  const text = message.replace(/^\s*\n/, '').trimEnd();
  if (text.trim() === '') {
    return objection('commit-message', 'The commit message is empty. Describe the change in one line.');
  }
  if (policy.commit_pattern === '') return null;
  const spansLines = /\n|\\n|\\r/.test(policy.commit_pattern);
  const judged = spansLines ? text : (text.split('\n')[0] ?? '').trimEnd();
  if (new RegExp(policy.commit_pattern, 'u').test(judged)) return null;
  const model = policy.commit_example === '' ? '' : ` For example: ${policy.commit_example}`;
  return objection(
    'commit-message',
    `The message ${JSON.stringify(judged.slice(0, 120))} does not match ${policy.commit_pattern}.${model}`,
  );
}
