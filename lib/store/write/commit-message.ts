import type { Change } from '../../domain/ports/store-port.ts';

export interface MessageContext {
  readonly actor: string;
  readonly host: string | null;
  /** The revision the note got; null where the notes of the commit differ in it. */
  readonly rev: number | null;
}

/** The audit entry of a change: subject, why, and trailers that `git log --format='%(trailers)'` reads. */
export function renderMessage(change: Change, context: MessageContext): string {
  const body = cleanText(change.body ?? '');
  const trailers: [string, string | null | undefined][] = [
    ...tasksIn(change).map((task): [string, string] => ['Task', task]),
    ['Session', sessionIn(change)],
    ['Transition', change.transition],
    ['Failure', change.failure?.kind],
    ...(change.failure?.rules ?? []).map((rule): [string, string] => ['Rule', rule]),
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

function tasksIn(change: Change): readonly string[] {
  const ids = [
    ...(change.tasks ?? []).map(({ id }) => id),
    ...(change.verdict === undefined ? [] : [change.verdict.task]),
    ...(change.verification === undefined ? [] : [change.verification.task]),
    ...(change.review?.note.tasks ?? []).map(({ id }) => id),
  ];
  return [...new Set(ids)];
}

function sessionIn(change: Change): string | undefined {
  return (
    change.session?.id ??
    change.tasks?.[0]?.session ??
    change.verdict?.session ??
    change.verification?.session ??
    change.review?.note.session ??
    change.about
  );
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
