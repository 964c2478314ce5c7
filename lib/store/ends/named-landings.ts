/** Tasks, as `<session>/<task>`, whose work merges say they bring: as landings do, or by the name of their branch. */
export function namedLandings(messages: readonly string[]): ReadonlySet<string> {
  return new Set(messages.flatMap((message) => [...namedByTrailers(message), ...namedByBranch(message)]));
}

function namedByTrailers(message: string): readonly string[] {
  const last =
    message
      .trimEnd()
      .split(/\n{2,}/)
      .at(-1) ?? '';
  const valuesOf = (key: string): readonly string[] =>
    last.split('\n').flatMap((line) => (line.startsWith(`${key}: `) ? [line.slice(key.length + 2)] : []));
  const [session, ...others] = valuesOf('Session');
  if (session === undefined || others.length > 0) return [];
  return valuesOf('Task').map((task) => `${session}/${task}`);
}

function namedByBranch(message: string): readonly string[] {
  const [subject = ''] = message.split('\n');
  return [...subject.matchAll(/\bblueflame\/(ses-[\w-]+\/[\w-]+)/g)].map(([, name = '']) => name);
}
