/** The line that makes a host close an issue once it reads it on its default branch; null: no address of an issue. */
export function closesIssue(source: string | undefined): string | null {
  const form = /^https:\/\/[^/]+\/([\w.-]+(?:\/[\w.-]+)+?)(?:\/-)?\/(?:issues|work_items)\/(\d+)$/;
  const [, name, number] = form.exec(source ?? '') ?? [];
  return name === undefined ? null : `Closes ${name}#${number}`;
}
