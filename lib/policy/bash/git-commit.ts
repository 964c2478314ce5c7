import { judgeCommitMessage } from '../commit-message.ts';
import { type Objection, objection } from '../rules.ts';
import { gitOption, judgePathspecs } from './git-arguments.ts';
import { scanOptions } from './options.ts';
import type { ProgramCall } from './program.ts';

/** Its message must be on the command line, and keep to the rules of messages. */
export function judgeCommit(call: ProgramCall): Objection | null {
  const scanned = scanOptions(
    '-aqvsio -m: -F: --all --quiet --verbose --no-verbose --signoff --no-signoff --message= --file= --amend --no-edit --allow-empty --trailer= --dry-run --short --porcelain --status --no-status --only --include --no-gpg-sign --reset-author --cleanup= --long --branch --no-post-rewrite -u[=] --untracked-files[=]',
    call.args,
  );
  if (scanned.unknown !== null) {
    return gitOption(`git commit ${scanned.unknown}`, 'Commit with: git commit -m "MESSAGE".');
  }
  const cleanup = scanned.given.get('cleanup') ?? [];
  if (cleanup.some((mode) => !['default', 'strip', 'whitespace'].includes(mode))) {
    return gitOption('git commit --cleanup', 'Leave it out.');
  }
  return (
    judgeMessage(call, scanned.given) ??
    judgePathspecs(call, ['--', ...scanned.operands], { access: 'stage' })
  );
}

function judgeMessage(call: ProgramCall, given: ReadonlyMap<string, readonly string[]>): Objection | null {
  const files = [...(given.get('F') ?? []), ...(given.get('file') ?? [])];
  if (files.some((file) => file !== '-') || (files.length > 0 && call.input === null)) {
    return objection(
      'commit-message',
      "A message from a file can't be checked. Write: git commit -m \"MESSAGE\", or git commit -F - <<'EOF' with the text.",
    );
  }
  const texts = messageTexts(call.args);
  if (files.length > 0) return judgeCommitMessage(call.context.policy, call.input ?? '');
  if (texts.length > 0) return judgeCommitMessage(call.context.policy, texts.join('\n\n'));
  if (given.has('no-edit') && given.has('amend')) return null;
  if (given.has('dry-run') || given.has('short') || given.has('porcelain')) return null;
  return objection(
    'commit-message',
    'There is no editor here. Write the message with: git commit -m "MESSAGE".',
  );
}

/** The texts of -m and --message in the order written: the first is the subject. */
function messageTexts(args: readonly string[]): readonly string[] {
  const rest = [...args].reverse();
  const texts: string[] = [];
  for (let arg = rest.pop(); arg !== undefined && arg !== '--'; arg = rest.pop()) {
    const long = /^--message(?:=(.*))?$/s.exec(arg);
    const short = /^-[aqvsio]*m(.*)$/s.exec(arg);
    if (long !== null) texts.push(long[1] ?? rest.pop() ?? '');
    else if (short !== null) texts.push(short[1] || (rest.pop() ?? ''));
    else if (/^-[aqvsio]*F$|^--(?:file|trailer|cleanup)$/.test(arg)) rest.pop();
  }
  return texts;
}
