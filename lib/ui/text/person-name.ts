/** Text that names people, without their mail addresses: `Lea Lead` of `Lea Lead <lea@example.com>`. */
export function withoutMail(text: string): string {
  return text.replace(/(\S) <[^<>\s]+@[^<>\s]*>/g, '$1');
}

/** The person who decided a changeset, without the mail address; null: not decided, or it has a conflict. */
export function whoDecided({
  state,
  decided_by,
}: {
  readonly state: string;
  readonly decided_by: string | null;
}): string | null {
  return decided_by === null || state === 'conflict' ? null : withoutMail(decided_by);
}
