import type { ObjectId, RefName } from '../../domain/ids.ts';
import type { StateLogEntry, Store } from '../../domain/ports/store-port.ts';
import { type GitContext, runGit } from '../../git/process/run-git.ts';

type Filter = Parameters<Store['log']>[0];

const fields = ['%H', '%S', '%cI', '%an <%ae>', '%s', '%b', '%(trailers:only=true,unfold=true)'];

/** The commits of the given refs, newest first; a change on several refs has one on each. */
export async function readLog(
  context: GitContext,
  gitDir: string,
  refs: readonly RefName[],
  filter: Filter,
): Promise<readonly StateLogEntry[]> {
  if (refs.length === 0 || filter.limit === 0) return [];
  const found = await askGit(context, gitDir, refs, filter);
  const entries = found.filter((entry) => isWanted(entry, filter));
  // A message may have the line of a trailer elsewhere; then git gave too few of those that are meant.
  const isShort = found.length === filter.limit && entries.length < found.length;
  if (!isShort) return entries;
  const { limit, ...all } = filter;
  return (await readLog(context, gitDir, refs, all)).slice(0, limit);
}

/** git ends as soon as it has found enough: it reads no further into the past. */
async function askGit(
  context: GitContext,
  gitDir: string,
  refs: readonly RefName[],
  filter: Filter,
): Promise<readonly StateLogEntry[]> {
  const isFiltered = filter.session !== undefined || filter.task !== undefined;
  const { stdout } = await runGit({ ...context, cwd: gitDir }, [
    `--git-dir=${gitDir}`,
    '--no-replace-objects',
    'log',
    '--no-show-signature',
    '--no-notes',
    '--no-mailmap',
    '--no-color',
    '--encoding=UTF-8',
    `--format=${fields.join('%x00')}%x00`,
    '-z',
    ...(isFiltered ? patterns(filter) : []),
    ...(filter.limit === undefined ? [] : [`--max-count=${filter.limit}`]),
    ...refs,
    '--',
  ]);
  return parseLog(stdout.toString());
}

/** git narrows it down by the message's lines; the trailers decide. */
function patterns({ session, task }: Filter): string[] {
  const line = (key: string, value: string) => `--grep=^${key}: ${value.replace(/[^\w-]/g, '.')}$`;
  return [
    '--all-match',
    '--basic-regexp',
    ...(task === undefined ? [] : [line('Task', task)]),
    ...(session === undefined ? [] : [line('Session', session)]),
  ];
}

/** Takes `git log -z` output of `fields`, each followed by a NUL. */
function parseLog(output: string): readonly StateLogEntry[] {
  const values = output.split('\0');
  const entries: StateLogEntry[] = [];
  // -z ends each record with one more NUL.
  for (let at = 0; at + fields.length <= values.length; at += fields.length + 1) {
    const [commit = '', ref = '', at_ = '', author = '', subject = '', text = '', trailers = ''] = values.slice(
      at,
      at + fields.length,
    );
    entries.push({
      commit: commit as ObjectId,
      ref: ref as RefName,
      at: new Date(at_).toISOString(),
      author,
      subject,
      body: withoutTrailers(text, trailers),
      trailers: parseTrailers(trailers),
    });
  }
  return entries;
}

function withoutTrailers(text: string, trailers: string): string {
  const body = text.trimEnd();
  const block = trailers.trimEnd();
  return (block !== '' && body.endsWith(block) ? body.slice(0, -block.length) : body).trim();
}

/** A key that stands several times (Task) gets all its values, joined by a comma. */
function parseTrailers(text: string): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, key, value] = line.match(/^([A-Za-z][\w-]*): (.*)$/) ?? [];
    if (key === undefined || value === undefined) continue;
    const known = found.get(key);
    found.set(key, known === undefined ? value : `${known}, ${value}`);
  }
  return Object.fromEntries(found);
}

function isWanted({ trailers }: StateLogEntry, { session, task }: Filter): boolean {
  const isOfTask = task === undefined || (trailers.Task ?? '').split(', ').includes(task);
  return isOfTask && (session === undefined || trailers.Session === session);
}
