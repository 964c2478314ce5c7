import * as z from 'zod';
import { boundText, oneLine } from '../../core/task/one-line.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { FailedCheck, PullRequestNews, Remark, RemarkPlace } from '../../domain/state/pull-request.ts';
import { readGhPages, readGhValue } from './read-gh-json.ts';

/** Runs gh with these arguments; resolves to what it printed. */
export type AskGh = (args: readonly string[]) => Promise<string>;

/** Whose words go into a task: people who may write to the repository. Everybody else is counted and named. */
const heeded: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

interface Address {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
  readonly number: string;
}

/** Reads the address of a pull request or an issue on a host that gh knows; null: it is none. */
export function parseAddress(url: string, kind: 'pull' | 'issues'): Address | null {
  const match = /^https:\/\/([\w.-]+(?::\d+)?)\/([\w.-]+)\/([\w.-]+)\/(pull|issues)\/(\d{1,12})\/?$/.exec(
    url,
  );
  if (match === null || match[4] !== kind) return null;
  const [, host = '', owner = '', name = '', , number = ''] = match;
  return { host, owner, name, number };
}

/** All that was said of a pull request so far, and what its checks came to. Throws the FlameErrors of runGh and `no-address`. */
export async function readNews(url: string, ask: AskGh): Promise<PullRequestNews> {
  const address = parseAddress(url, 'pull');
  if (address === null) throw noAddress(url);
  const { host, owner, name, number } = address;
  const fields = 'state,headRefOid,statusCheckRollup';
  const view = readGhValue(viewSchema, await ask(['pr', 'view', url, '--json', fields]));
  const list = async <Value>(path: string, schema: z.ZodType<Value>): Promise<readonly Value[]> => {
    const where = `repos/${owner}/${name}/${path}?per_page=100`;
    return readGhPages(schema, await ask(['api', '--hostname', host, '--paginate', where]));
  };
  const lines = await list(`pulls/${number}/comments`, lineSchema);
  const reviews = await list(`pulls/${number}/reviews`, reviewSchema);
  const talk = await list(`issues/${number}/comments`, commentSchema);
  const said = [
    ...lines.map((one) => ({ ...one, id: `line-${one.id}`, place: placeOf(one) })),
    ...reviews.filter(asksForMore).map((one) => ({ ...one, id: `review-${one.id}`, place: null })),
    ...talk.map((one) => ({ ...one, id: `comment-${one.id}`, place: null })),
  ].filter(({ body }) => (body ?? '').trim() !== '');
  const counts = new Map<string, number>();
  for (const { user, author_association: as } of said.filter((one) => !heeded.has(one.author_association))) {
    const by = `${loginOf(user)} (${as.toLowerCase()})`;
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  return {
    state: states[view.state],
    head: view.headRefOid,
    remarks: said.filter((one) => heeded.has(one.author_association)).map(toRemark),
    failed: view.statusCheckRollup.flatMap((check) => toFailed(check, view.headRefOid)),
    unheeded: [...counts].map(([by, count]) => ({ by, count })),
  };
}

const states = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const;

const text = z.string().nullish();
const userSchema = z.object({ login: z.string() }).nullish();
const commentSchema = z.object({
  id: z.int(),
  user: userSchema,
  body: text,
  author_association: z.string().default('NONE'),
});
const reviewSchema = commentSchema.extend({ state: z.string() });
const lineSchema = commentSchema.extend({
  path: z.string(),
  line: z.int().nullish(),
  original_line: z.int().nullish(),
  side: z.string().nullish(),
  diff_hunk: text,
});
const checkSchema = z.object({
  name: text,
  context: text,
  conclusion: text,
  state: text,
  detailsUrl: text,
  targetUrl: text,
});
const viewSchema = z.object({
  state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  headRefOid: z.string().regex(/^[0-9a-f]{40,64}$/),
  statusCheckRollup: z
    .array(checkSchema)
    .nullish()
    .transform((checks) => checks ?? []),
});

/** An approval with a kind word is no work. */
function asksForMore({ state }: { readonly state: string }): boolean {
  return state === 'CHANGES_REQUESTED' || state === 'COMMENTED';
}

function loginOf(user: z.infer<typeof userSchema>): string {
  return oneLine(user?.login ?? 'somebody who is gone', 60);
}

type Said = z.infer<typeof commentSchema>;

function toRemark(
  one: Omit<Said, 'id'> & { readonly id: string; readonly place: RemarkPlace | null },
): Remark {
  return { id: one.id, by: loginOf(one.user), text: boundText(one.body ?? '', 2_000), place: one.place };
}

function placeOf({
  path,
  line,
  original_line: then,
  side,
  diff_hunk: hunk,
}: z.infer<typeof lineSchema>): RemarkPlace {
  const last = (hunk ?? '').split('\n').slice(-4).join('\n');
  return {
    path,
    side: side === 'LEFT' ? 'old' : 'new',
    line: line ?? then ?? null,
    isGone: line === null || line === undefined,
    excerpt: boundText(last, 1_000),
  };
}

const bad = new Set(['FAILURE', 'ERROR', 'TIMED_OUT', 'STARTUP_FAILURE']);

/** A check is another one with each commit it ran on. */
function toFailed(check: z.infer<typeof checkSchema>, head: string): readonly FailedCheck[] {
  const conclusion = check.conclusion || check.state || '';
  if (!bad.has(conclusion)) return [];
  const name = oneLine(check.name ?? check.context ?? 'a check', 200);
  const url = oneLine(check.detailsUrl ?? check.targetUrl ?? '', 500);
  return [{ id: `check-${head.slice(0, 12)}-${name}`, name, conclusion: conclusion.toLowerCase(), url }];
}

function noAddress(url: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-address',
    message: `${oneLine(url)} is not the address of a pull request that gh knows.`,
    hints: ['git flame show'],
  });
}
