import * as z from 'zod';
import { boundText, oneLine } from '../../core/task/one-line.ts';
import type { FailedCheck, PullRequestNews, RemarkPlace } from '../../domain/state/pull-request.ts';
import type { Address } from './address.ts';
import { endOfLog, mostLogs } from './end-of-log.ts';
import type { NewsWish } from './forge.ts';
import { heedRemarks, type Said } from './heed-remarks.ts';
import { readForgePages, readForgeValue } from './read-forge-json.ts';
import { type AskForge, isForgeError } from './run-forge.ts';

/** All that was said of a pull request so far, and what its checks came to. Throws the FlameErrors of runForge. */
export async function readGhNews(
  address: Address,
  { url, heeding, heard }: NewsWish,
  ask: AskForge,
): Promise<PullRequestNews> {
  const { host, project, number } = address;
  const fields = 'state,headRefOid,statusCheckRollup';
  const view = readForgeValue('gh', viewSchema, await ask(['pr', 'view', url, '--json', fields]));
  const list = async <Value>(path: string, schema: z.ZodType<Value>): Promise<readonly Value[]> => {
    const where = `repos/${project}/${path}?per_page=100`;
    return readForgePages('gh', schema, await ask(['api', '--hostname', host, '--paginate', where]));
  };
  const lines = await list(`pulls/${number}/comments`, lineSchema);
  const reviews = await list(`pulls/${number}/reviews`, reviewSchema);
  const talk = await list(`issues/${number}/comments`, commentSchema);
  const asking = reviews.filter(asksForMore);
  const authors = heeding.comments_from === 'members' ? [...lines, ...asking, ...talk] : [];
  const roles = await readRoles(authors, { address, ask });
  const said = [
    ...lines.map((one) => toSaid(one, 'line', placeOf(one), roles)),
    ...asking.map((one) => toSaid(one, 'review', null, roles)),
    ...talk.map((one) => toSaid(one, 'comment', null, roles)),
  ];
  const failed = view.statusCheckRollup.flatMap((check) => toFailed(check, view.headRefOid));
  return {
    ...{ state: states[view.state], head: view.headRefOid, ...heedRemarks(said, heeding) },
    failed: await withLogs(failed, { address, heard, ask }),
  };
}

/** What became of it. Throws the FlameErrors of runForge. */
export async function readGhStanding(
  url: string,
  ask: AskForge,
): Promise<Pick<PullRequestNews, 'state' | 'head'>> {
  const shown = await ask(['pr', 'view', url, '--json', 'state,headRefOid']);
  const { state, headRefOid: head } = readForgeValue('gh', standingSchema, shown);
  return { state: states[state], head };
}

/** Failed checks that are new, the first of them with the end of their log where they ran on the host itself. */
async function withLogs(
  failed: readonly FailedCheck[],
  {
    address: { host, project },
    heard,
    ask,
  }: { readonly address: Address; readonly heard: ReadonlySet<string>; readonly ask: AskForge },
): Promise<readonly FailedCheck[]> {
  const told: FailedCheck[] = [];
  let count = 0;
  for (const check of failed) {
    const [, job] = /\/actions\/runs\/\d+\/job\/(\d+)(?:[?#]|$)/.exec(check.url) ?? [];
    if (job === undefined || heard.has(check.id) || count >= mostLogs) told.push(check);
    else {
      count += 1;
      const words = ['run', 'view', '--job', job, '--log-failed', '--repo', `${host}/${project}`];
      told.push({ ...check, log: await endOfLog(() => ask(words)) });
    }
  }
  return told;
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
const standingSchema = z.object({
  state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  headRefOid: z.string().regex(/^[0-9a-f]{40,64}$/),
});
const viewSchema = standingSchema.extend({
  statusCheckRollup: z
    .array(checkSchema)
    .nullish()
    .transform((checks) => checks ?? []),
});

/** An approval with a kind word is no work. */
function asksForMore({ state }: { readonly state: string }): boolean {
  return state === 'CHANGES_REQUESTED' || state === 'COMMENTED';
}

function toSaid(
  { id, user, body, author_association: as }: z.infer<typeof commentSchema>,
  kind: string,
  place: RemarkPlace | null,
  roles: ReadonlyMap<string, Role>,
): Said {
  const role = roles.get(user?.login ?? '');
  const standing = as === 'OWNER' ? 'owner' : role?.writes === true ? 'member' : 'stranger';
  return {
    ...{ id: `${kind}-${id}`, login: user?.login ?? null, standing },
    ...{ as: oneLine(role?.name ?? as.toLowerCase(), 60), body, place },
  };
}

interface Role {
  readonly name: string;
  readonly writes: boolean;
}

/** Members of an organization and collaborators, among them those who may only read. */
const associated: ReadonlySet<string> = new Set(['MEMBER', 'COLLABORATOR']);
const permissionSchema = z.object({ permission: z.string(), role_name: text });

/**
 * What each of them may do in the repository, by login; each is asked for once. Whose permission GitHub doesn't tell
 * may do nothing.
 * https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
 */
async function readRoles(
  authors: readonly z.infer<typeof commentSchema>[],
  { address: { host, project }, ask }: { readonly address: Address; readonly ask: AskForge },
): Promise<ReadonlyMap<string, Role>> {
  const logins = authors.flatMap(({ user, author_association: as }) =>
    user != null && associated.has(as) ? [user.login] : [],
  );
  const roles = new Map<string, Role>();
  for (const login of new Set(logins)) roles.set(login, await readRole(login));
  return roles;

  async function readRole(login: string): Promise<Role> {
    const path = `repos/${project}/collaborators/${encodeURIComponent(login)}/permission`;
    try {
      const shown = await ask(['api', '--hostname', host, path]);
      const { permission, role_name: name } = readForgeValue('gh', permissionSchema, shown);
      // GitHub maps maintain to write, and triage to read.
      return { name: name || permission, writes: permission === 'admin' || permission === 'write' };
    } catch (error) {
      if (!isForgeError(error) || error.code !== 'forge-failed') throw error;
      return { name: 'of unknown permission', writes: false };
    }
  }
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
  return [
    { id: `check-${head.slice(0, 12)}-${name}`, name, conclusion: conclusion.toLowerCase(), url, log: '' },
  ];
}
