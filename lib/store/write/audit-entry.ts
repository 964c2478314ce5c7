import type { SessionId } from '../../domain/ids.ts';
import type { AuditEntryText, OnlyNotesOfKind, StateChange, TasksChange } from '../../domain/ports/store-port.ts';
import type { DiagnosticsRerun, Verdict } from '../../domain/state/verdict.ts';
import { openGitIdentities } from '../../git/process/git-identity.ts';
import type { StoreOptions } from '../store-options.ts';

interface MessageContext {
  readonly actor: string;
  readonly host: string | null;
  /** The revision the note got; null where the notes of the commit differ in it. */
  readonly rev: number | null;
}

/** An entry that changes none of these notes: what was archived, brought back, remembered or signed. */
export type NonStateAuditEntry = AuditEntryText &
  OnlyNotesOfKind<never> & {
    readonly transition?: string;
    /** The one session it is about. */
    readonly about?: SessionId;
  };

/** The audit entry of a change: subject, why, and trailers that `git log --format='%(trailers)'` reads. */
export function renderAuditMessage(change: StateChange | NonStateAuditEntry, context: MessageContext): string {
  const body = cleanText(change.body ?? '');
  const about = factsOf(change);
  const trailers: [string, string | null | undefined][] = [
    ...[...new Set(about.tasks)].map((task): [string, string] => ['Task', task]),
    ['Session', about.session],
    ['Transition', about.transition],
    ['Failure', about.failure?.kind],
    ...(about.failure?.rules ?? []).map((rule): [string, string] => ['Rule', rule]),
    ['Actor', context.actor],
    ['Host', context.host],
    ['Rev', context.rev === null ? null : String(context.rev)],
  ];
  const lines = trailers.flatMap(([key, value]) =>
    value == null || cleanLine(value) === '' ? [] : [`${key}: ${cleanLine(value)}`],
  );
  const subject = cleanLine(change.subject) || 'state changed';
  return `${[subject, body, lines.join('\n')].filter((part) => part !== '').join('\n\n')}\n`;
}

type Facts = Pick<TasksChange, 'transition' | 'failure'> & {
  readonly tasks: readonly string[];
  readonly session: string | undefined;
};

function factsOf(change: StateChange | NonStateAuditEntry): Facts {
  if (change.tasks) {
    const { tasks, ...rest } = change;
    return { ...rest, tasks: tasks.map(({ id }) => id), session: tasks[0]?.session };
  }
  if (change.session) return { tasks: [], session: change.session.id };
  if (change.review) {
    const { tasks, session } = change.review.note;
    return { tasks: tasks.map(({ id }) => id), session };
  }
  if (change.page) {
    const { session, task } = change.page;
    return { tasks: task === null ? [] : [task], session };
  }
  if (change.verdict) return judgedFacts(change.verdict);
  if (change.verification) return judgedFacts(change.verification);
  const { about, ...rest } = change;
  return { ...rest, tasks: [], session: about };
}

function judgedFacts({ task, session }: Verdict | DiagnosticsRerun): Facts {
  return { tasks: [task], session };
}

function cleanLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]+/gu, ' ')
    .trim();
}

/** The person's `Name <email>` for commits, and the time zone git writes for them. */
export interface CommitIdentity {
  readonly author: string;
  readonly committer: string;
  readonly zone: string;
}

/** Reads the person's identity. Throws FlameError `no-identity` if git doesn't know it. */
export async function readCommitIdentity({
  context,
  idents = openGitIdentities(context),
}: Pick<StoreOptions, 'context' | 'idents'>): Promise<CommitIdentity> {
  const asked = [idents.author(), idents.committer()] as const;
  // Waits for both: a caller that retries after a refusal must not get an old answer.
  await Promise.allSettled(asked);
  const [author, committer] = await Promise.all(asked);
  return { author: author.name, committer: committer.name, zone: committer.zone };
}
