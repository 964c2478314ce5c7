import * as z from 'zod';
import { boundText, toOneLine } from '../../core/task/bound-text.ts';
import type { RemarkPlace } from '../../domain/state/pull-request-news.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { isPullRequestAddress } from './forge-address.ts';
import {
  createFailedCheck,
  type ForgeCommands,
  type HostRemark,
  type PreparedPullRequest,
  type PullRequestAddress,
  quoteShellLine,
} from './forge-commands.ts';
import { isForgeError, type RunForgeProgram, readForgePages, readForgeValue } from './run-forge.ts';

/** GitHub takes 65,536. */
const longestBody = 65_000;

const text = z.string().nullish();
const states = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const;
const requestStateSchema = z.object({
  state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  headRefOid: z.string().regex(/^[0-9a-f]{40,64}$/),
});

/** GitHub, as its program `gh` speaks with it. */
export const githubCommands: ForgeCommands = {
  noun: 'pull request',
  host: 'GitHub',
  longestBody,
  longestNew: longestBody,
  create: createWords,
  createLine: (request) => quoteShellLine(['gh', ...createWords(request)]),
  reopenLine: ({ url }) => `gh pr reopen ${url}`,
  viewLine: (branch) => `gh pr view ${shellQuote(branch)}`,
  find: {
    words: (branch) => ['pr', 'view', branch, '--json', 'url,state'],
    schema: z
      .object({
        url: z.string().refine((url) => isPullRequestAddress(url, 'gh'), 'is not the address of a pull request'),
        state: z.string(),
      })
      .transform(({ url, state }) => ({ url, isOpen: state === 'OPEN' })),
  },
  state: {
    words: ({ url }) => ['pr', 'view', url, '--json', 'state,headRefOid'],
    schema: requestStateSchema.transform(({ state, headRefOid: head }) => ({ state: states[state], head })),
  },
  update: ({ url }, { title, bodyFile, newBase }) => {
    const into = newBase === undefined ? [] : ['--base', newBase];
    return [['pr', 'edit', url, '--title', title, '--body-file', bodyFile, ...into]];
  },
  news: async (place, { comments_from: from }, ask) => {
    const { host, project, number } = place.address;
    const shown = await ask(['pr', 'view', place.url, '--json', 'state,headRefOid,statusCheckRollup']);
    const { state, headRefOid: head, statusCheckRollup: checks } = readForgeValue('gh', viewSchema, shown);
    const list = async <Value>(path: string, schema: z.ZodType<Value>): Promise<readonly Value[]> => {
      const where = `repos/${project}/${path}?per_page=100`;
      return readForgePages('gh', schema, await ask(['api', '--hostname', host, '--paginate', where]));
    };
    const lines = await list(`pulls/${number}/comments`, lineSchema);
    // An approval with a kind word is no work.
    const reviews = (await list(`pulls/${number}/reviews`, reviewSchema)).filter(
      (one) => one.state === 'CHANGES_REQUESTED' || one.state === 'COMMENTED',
    );
    const talk = await list(`issues/${number}/comments`, commentSchema);
    const roles = from === 'members' ? await readRoles([...lines, ...reviews, ...talk], place, ask) : new Map();
    const logOf = (url: string): (() => Promise<string>) | null => {
      const [, job] = /\/actions\/runs\/\d+\/job\/(\d+)(?:[?#]|$)/.exec(url) ?? [];
      const words = ['run', 'view', '--job', job ?? '', '--log-failed', '--repo', `${host}/${project}`];
      return job === undefined ? null : () => ask(words);
    };
    return {
      state: states[state],
      head,
      remarks: [
        ...lines.map((one) => toRemark(one, 'line', placeOf(one), roles)),
        ...reviews.map((one) => toRemark(one, 'review', null, roles)),
        ...talk.map((one) => toRemark(one, 'comment', null, roles)),
      ],
      failed: checks.flatMap((one) => {
        const conclusion = one.conclusion || one.state || '';
        if (!bad.has(conclusion)) return [];
        const name = one.name ?? one.context ?? 'a check';
        const url = one.detailsUrl ?? one.targetUrl ?? '';
        return [{ check: createFailedCheck(head, name, conclusion.toLowerCase(), url), log: logOf(url) }];
      }),
    };
  },
  issue: {
    words: ({ number, project, host }) => {
      const where = project === null ? [] : ['--repo', host === null ? project : `${host}/${project}`];
      return ['issue', 'view', number, ...where, '--json', 'number,title,body,labels,author,state,url'];
    },
    schema: z
      .object({
        number: z.int(),
        title: z.string().min(1),
        body: text,
        labels: z.array(z.object({ name: z.string() })).default([]),
        author: z.object({ login: z.string() }).default({ login: 'unknown' }),
        state: z.string(),
        url: z.string(),
      })
      .transform(({ labels, author, state, ...rest }) => ({
        ...rest,
        author: author.login,
        labels: labels.map(({ name }) => name),
        isOpen: state === 'OPEN',
      })),
  },
  reopenIssue: (url) => `gh issue reopen ${url}`,
};

function createWords({ base, branch, title, bodyFile }: PreparedPullRequest): readonly string[] {
  return ['pr', 'create', '--base', base, '--head', branch, '--title', title, '--body-file', bodyFile];
}

const commentSchema = z.object({
  id: z.int(),
  user: z.object({ login: z.string() }).nullish(),
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
const viewSchema = requestStateSchema.extend({
  statusCheckRollup: z
    .array(checkSchema)
    .nullish()
    .transform((checks) => checks ?? []),
});
const bad = new Set(['FAILURE', 'ERROR', 'TIMED_OUT', 'STARTUP_FAILURE']);

type Comment = z.infer<typeof commentSchema>;

function toRemark(
  { id, user, body, author_association: as }: Comment,
  kind: string,
  place: RemarkPlace | null,
  roles: ReadonlyMap<string, Role>,
): HostRemark {
  const role = roles.get(user?.login ?? '');
  const standing = as === 'OWNER' ? 'owner' : role?.writes === true ? 'member' : 'stranger';
  const named = toOneLine(role?.name ?? as.toLowerCase(), 60);
  return { id: `${kind}-${id}`, login: user?.login ?? null, role: standing, as: named, body, place };
}

function placeOf(remark: z.infer<typeof lineSchema>): RemarkPlace {
  const { path, line, original_line: then, side, diff_hunk: hunk } = remark;
  const last = (hunk ?? '').split('\n').slice(-4).join('\n');
  return {
    path,
    side: side === 'LEFT' ? 'old' : 'new',
    line: line ?? then ?? null,
    isGone: line === null || line === undefined,
    excerpt: boundText(last, 1_000),
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
 * What each author may do in the repository, by login; each is asked for once. An author whose permission GitHub doesn't
 * show may do nothing.
 * https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
 */
async function readRoles(
  comments: readonly Comment[],
  { address: { host, project } }: PullRequestAddress,
  ask: RunForgeProgram,
): Promise<ReadonlyMap<string, Role>> {
  const logins = comments.flatMap(({ user, author_association: as }) =>
    user != null && associated.has(as) ? [user.login] : [],
  );
  const roles = new Map<string, Role>();
  for (const login of new Set(logins)) {
    const path = `repos/${project}/collaborators/${encodeURIComponent(login)}/permission`;
    try {
      const shown = await ask(['api', '--hostname', host, path]);
      const { permission, role_name: name } = readForgeValue('gh', permissionSchema, shown);
      // GitHub maps maintain to write, and triage to read.
      const writes = permission === 'admin' || permission === 'write';
      roles.set(login, { name: name || permission, writes });
    } catch (error) {
      if (!isForgeError(error) || error.code !== 'forge-failed') throw error;
      roles.set(login, { name: 'of unknown permission', writes: false });
    }
  }
  return roles;
}
