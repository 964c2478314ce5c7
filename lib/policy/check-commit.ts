import type { AgentPolicy, Violation } from '../domain/agent-policy.ts';
import type { CommitInfo } from '../domain/ports/git-commits.ts';
import { shortId } from '../util/short-names.ts';
import { createObjection, type PolicyObjection } from './policy-rules.ts';

/** In whose name an agent's commits are, and when they can have been made. */
export interface ExpectedAuthor {
  /** `Name <email>`. */
  readonly identity: string;
  /** When the attempt began, in milliseconds; null: not known. */
  readonly began: number | null;
  /** The time now, in milliseconds. */
  readonly now: number;
}

// The error of a clock in a container, or of one that is just being set.
const driftMs = 60 * 60_000;
const aheadMs = 10 * 60_000;

/** Lists contradictions in a commit to this signer having made it, at this time. */
export function checkCommitAuthor(commit: CommitInfo, signer: ExpectedAuthor): readonly Violation[] {
  const found = [judgeNames(commit, signer), judgeTimes(commit, signer)];
  return found
    .filter((one) => one !== null)
    .map(({ rule, details }) => ({
      rule,
      where: commit.oid,
      details: `Commit ${shortId(commit.oid)} ${details}`,
    }));
}

function judgeNames({ author, committer }: CommitInfo, { identity }: ExpectedAuthor): PolicyObjection | null {
  const other = [author, committer].find((name) => name !== identity);
  if (other === undefined) return null;
  return createObjection(
    'authorship',
    `is in the name of ${other}. Commit as ${identity}, as your environment says: set no other author or committer, and pick no commits of others (git cherry-pick --no-commit applies a change without its author).`,
  );
}

function judgeTimes({ authored, committed }: CommitInfo, { began, now }: ExpectedAuthor): PolicyObjection | null {
  const times = [authored, committed].map((seconds) => seconds * 1_000);
  const first = began === null ? Number.NEGATIVE_INFINITY : began - driftMs;
  const other = times.find((time) => !(time >= first && time <= now + aheadMs));
  if (other === undefined) return null;
  return createObjection(
    'authorship',
    `is dated ${formatDateTime(other)}, which is before this work started or in the future. Commit without setting a date (--date, GIT_AUTHOR_DATE, GIT_COMMITTER_DATE).`,
  );
}

function formatDateTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'at an invalid time' : date.toISOString();
}

// Also where git would see no trailer: a person who reads it would.
const trailer = /^[^\S\n]*((?:signed-off|reviewed|acked|approved|tested|co-authored|co-developed)-by)[^\S\n]*:(.*)$/gim;
/** A trailer that a client of a model adds by itself. */
const ofModel = /^Claude(?: [\w .()-]{1,40})? <noreply@anthropic\.com>$/;

/** Whether a message speaks for a person or program beside the agent that wrote it. */
export function judgeMessageTrailers(identity: string, message: string): PolicyObjection | null {
  for (const [, key = '', value = ''] of message.matchAll(trailer)) {
    const name = value.trim();
    const isModel = /^co-authored-by$/i.test(key) && ofModel.test(name);
    if (name === identity || isModel) continue;
    return createObjection(
      'authorship',
      `The message speaks for ${name === '' ? 'another person' : name} (${key}). Leave that line out: only they can add it.`,
    );
  }
  return null;
}

/**
 * Returns the objection to a commit message; null: none. The subject line decides, unless the pattern itself
 * speaks of line breaks: then the whole message does.
 */
export function judgeCommitMessage(
  policy: Pick<AgentPolicy, 'commit_pattern' | 'commit_example'>,
  message: string,
): PolicyObjection | null {
  const text = message.replace(/^\s*\n/, '').trimEnd();
  if (text.trim() === '') {
    return createObjection('commit-message', 'The commit message is empty. Describe the change in one line.');
  }
  if (policy.commit_pattern === '') return null;
  const spansLines = /\n|\\n|\\r/.test(policy.commit_pattern);
  const judged = spansLines ? text : (text.split('\n')[0] ?? '').trimEnd();
  if (new RegExp(policy.commit_pattern, 'u').test(judged)) return null;
  const model = policy.commit_example === '' ? '' : ` For example: ${policy.commit_example}`;
  return createObjection(
    'commit-message',
    `The message ${JSON.stringify(judged.slice(0, 120))} does not match ${policy.commit_pattern}.${model}`,
  );
}
