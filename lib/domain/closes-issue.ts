/** What has a host close an issue once it reads this on its default branch; null: it is no address of an issue. */
export function closesIssue(source: string | undefined): string | null {
  const [, name, number] = /^https:\/\/[^/]+\/([\w.-]+\/[\w.-]+)\/issues\/(\d+)$/.exec(source ?? '') ?? [];
  return name === undefined ? null : `Closes ${name}#${number}`;
}
