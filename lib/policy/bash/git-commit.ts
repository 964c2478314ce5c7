import { judgeCommitMessage } from '../commit-message.ts';
import { type Objection, objection } from '../rules.ts';
import { gitOption, judgePathspecs } from './git-arguments.ts';
import type { ProgramCall } from './program-call.ts';
import { mark } from './syntax.ts';

const flags =
  /^-[aqvsio]+$|^--(?:all|quiet|verbose|no-verbose|signoff|no-signoff|amend|no-edit|allow-empty|dry-run|short|porcelain|status|no-status|only|include|no-gpg-sign|reset-author|long|branch|no-post-rewrite)$|^-u\w*$|^--untracked-files(?:=\w+)?$|^--cleanup=(?:default|strip|whitespace)$/;

/** Its message must be on the command line, and keep to the rules of messages. */
export function judgeCommit({ context, args, input, ...call }: ProgramCall): Objection | null {
  const messages: string[] = [];
  const files: string[] = [];
  const paths: string[] = [];
  const rest = [...args].reverse();
  for (let arg = rest.pop(); arg !== undefined; arg = rest.pop()) {
    const [, long, attached] = /^--(message|file|trailer|cleanup)(?:=(.*))?$/s.exec(arg) ?? [];
    const [, letter, tail = ''] = /^-[aqvsio]*([mF])(.*)$/s.exec(arg) ?? [];
    if (arg === '--') paths.push(...rest.splice(0).reverse());
    else if (flags.test(arg)) continue;
    else if (letter !== undefined) (letter === 'm' ? messages : files).push(tail || (rest.pop() ?? ''));
    else if (long === 'message' || long === 'file')
      (long === 'file' ? files : messages).push(attached ?? rest.pop() ?? '');
    else if (long === 'trailer') rest.splice(rest.length - (attached === undefined ? 1 : 0));
    else if (arg.startsWith('-'))
      return gitOption(`git commit ${arg}`, 'Commit with: git commit -m "MESSAGE".');
    else paths.push(arg);
  }
  return (
    judgeMessage(context, { messages, files, input, args }) ??
    judgePathspecs({ ...call, context, args, input }, ['--', ...paths], 'stage')
  );
}

interface Given {
  readonly messages: readonly string[];
  readonly files: readonly string[];
  readonly input: string | null;
  readonly args: readonly string[];
}

function judgeMessage(
  { policy }: ProgramCall['context'],
  { messages, files, input, args }: Given,
): Objection | null {
  if (files.some((file) => file !== '-') || (files.length > 0 && input === null))
    return objection(
      'commit-message',
      "A message from a file can't be checked. Write: git commit -m \"MESSAGE\", or git commit -F - <<'EOF' with the text.",
    );
  const text = files.length > 0 ? (input ?? '') : messages.join('\n\n');
  // Its first words must be there to be judged; the post-check reads the whole.
  if (/^[\u0001-\u0007]/.test(text))
    return objection('commit-message', 'Write the first words of the message out.');
  if (files.length > 0 || messages.length > 0) return judgeCommitMessage(policy, mark.shown(text));
  const has = (name: string): boolean => args.includes(name);
  if (has('--no-edit') && has('--amend')) return null;
  if (has('--dry-run') || has('--short') || has('--porcelain')) return null;
  return objection(
    'commit-message',
    'There is no editor here. Write the message with: git commit -m "MESSAGE".',
  );
}
