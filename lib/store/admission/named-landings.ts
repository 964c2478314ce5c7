import { isAgentAddress } from '../../domain/ids.ts';

/** As git log prints a merge for namedLandings. */
export const landingFormat = '%ce%n%B';

/**
 * Tasks, as `<session>/<task>`, that merges name: by the trailers of a landing, or by their branch. A merge that an agent
 * made within its work names none.
 */
export function namedLandings(merges: readonly string[]): ReadonlySet<string> {
  return new Set(merges.flatMap(namedBy));
}

function namedBy(merge: string): readonly string[] {
  const [committer = '', ...lines] = merge.split('\n');
  if (isAgentAddress(committer)) return [];
  const message = lines.join('\n');
  return [...namedByTrailers(message), ...namedByBranch(message)];
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
