import * as z from 'zod';
import type { RemarkPlace } from '../../domain/state/pull-request-news.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { type ForgeAddress, isPullRequestAddress } from './forge-address.ts';
import {
  createFailedCheck,
  cutBodyToHostLimit,
  type ForgeCommands,
  type HostRemark,
  type PreparedPullRequest,
  quoteShellLine,
} from './forge-commands.ts';
import { readForgePages, readForgeValue } from './run-forge.ts';

/** GitLab takes 1,048,576. */
const longestBody = 1_000_000;
/** glab takes a new one's as one argument, of which Linux allows 128 KiB. */
const longestNew = 30_000;
const host = 'GitLab';

// A merge that is under way there is locked.
const states = { opened: 'open', locked: 'open', closed: 'closed', merged: 'merged' } as const;
const requestStateSchema = z.object({
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
  sha: z.string().regex(/^[0-9a-f]{40,64}$/),
});

/** GitLab, as its program `glab` speaks with it. */
export const gitlabCommands: ForgeCommands = {
  noun: 'merge request',
  host,
  longestBody,
  longestNew,
  create: (request) => [
    ...createWords(request),
    '--description',
    cutBodyToHostLimit(request.body, { longest: longestNew, host }),
  ],
  createLine: (request) => {
    const read = request.body.length > longestNew ? `head -c ${longestNew}` : 'cat';
    const words = quoteShellLine(['glab', ...createWords(request)]);
    return `${words} --description "$(${read} ${shellQuote(request.bodyFile)})"`;
  },
  reopenLine: ({ address }) => quoteShellLine(['glab', 'mr', 'reopen', ...namedRequest(address)]),
  viewLine: (branch) => `glab mr view ${shellQuote(branch)}`,
  find: {
    words: (branch) => ['mr', 'view', branch, '--output', 'json'],
    schema: z
      .object({
        web_url: z.string().refine((url) => isPullRequestAddress(url, 'glab'), 'is not the address of a merge request'),
        state: z.string(),
      })
      .transform(({ web_url: url, state }) => ({ url, isOpen: state === 'opened' })),
  },
  state: {
    words: ({ address }) => ['api', '--hostname', address.host, requestPath(address)],
    schema: requestStateSchema.transform(({ state, sha }) => ({ state: states[state], head: sha })),
  },
  update: ({ address }, { title, body, bodyFile, newBase }) => {
    // Older versions of glab read a text from a file only through the API.
    const put = ['api', '--hostname', address.host, '--method', 'PUT', requestPath(address)];
    const isLong = body.length > longestNew;
    const text = ['--title', title, ...(isLong ? [] : ['--description', body])];
    const into = newBase === undefined ? [] : ['--target-branch', newBase];
    return [
      ...(isLong ? [[...put, '--field', `description=@${bodyFile}`]] : []),
      ['mr', 'update', ...namedRequest(address), ...text, ...into, '--yes'],
    ];
  },
  /** Without threads that are resolved; the checks are the jobs of the latest pipeline. */
  news: async ({ address }, { comments_from: from }, ask) => {
    const get = (path: string, ...more: readonly string[]): Promise<string> =>
      ask(['api', '--hostname', address.host, ...more, path]);
    const list = async <Value>(path: string, schema: z.ZodType<Value>): Promise<readonly Value[]> => {
      const paged = `${path}${path.includes('?') ? '&' : '?'}per_page=100`;
      return readForgePages('glab', schema, await get(paged, '--paginate'));
    };
    const where = projectPath(address);
    const view = readForgeValue('glab', viewSchema, await get(requestPath(address)));
    const threads = await list(`${requestPath(address)}/discussions`, threadSchema);
    const members = from === 'listed' ? [] : await list(`${where}/members/all`, memberSchema);
    const levelOf = new Map(
      members.flatMap(({ id, access_level: level, state }) => (state === 'active' ? [[id, level]] : [])),
    );
    const { head_pipeline: pipeline, sha: head, state } = view;
    const owned = pipeline?.project_id === undefined ? where : `projects/${pipeline.project_id}`;
    const jobs = pipeline == null ? [] : await list(`${owned}/pipelines/${pipeline.id}/jobs?scope[]=failed`, jobSchema);
    return {
      state: states[state],
      head,
      remarks: threads
        .flatMap((thread) => thread.notes)
        .filter(({ system, resolved }) => !system && resolved !== true)
        .map((note) => toRemark(note, levelOf.get(note.author?.id ?? 0) ?? 0, head)),
      failed: jobs
        .filter((job) => job.status === 'failed' && job.allow_failure !== true)
        .map(({ id, name, status, web_url: url }) => ({
          check: createFailedCheck(head, name, status, url ?? ''),
          log: () => get(`${owned}/jobs/${id}/trace`),
        })),
    };
  },
  issue: {
    words: ({ number, project, host: name }) => {
      const where = name === null ? project : `https://${name}/${project}`;
      const repository = project === null ? [] : ['--repo', where ?? ''];
      return ['issue', 'view', number, ...repository, '--output', 'json'];
    },
    schema: z
      .object({
        title: z.string().min(1),
        description: z.string().nullish(),
        labels: z.array(z.string()).nullish(),
        author: z.object({ username: z.string() }).nullish(),
        state: z.string(),
        web_url: z.string(),
      })
      .transform(({ title, description: body, labels, author, state, web_url: url }) => ({
        title,
        body,
        url,
        labels: labels ?? [],
        author: author?.username ?? 'unknown',
        isOpen: state === 'opened',
      })),
  },
  reopenIssue: (_, { number }) => `glab issue reopen ${number}`,
};

function createWords({ base, branch, title }: PreparedPullRequest): readonly string[] {
  return ['mr', 'create', '--target-branch', base, '--source-branch', branch, '--title', title, '--yes'];
}

function projectPath({ project }: ForgeAddress): string {
  return `projects/${encodeURIComponent(project)}`;
}

function requestPath(address: ForgeAddress): string {
  return `${projectPath(address)}/merge_requests/${address.number}`;
}

function namedRequest({ host: name, project, number }: ForgeAddress): readonly string[] {
  return [number, '--repo', `https://${name}/${project}`];
}

/** GitLab's own numbers: from developer on one may push, an owner has the project. */
const [developer, owner] = [30, 50];
const levels: Readonly<Record<number, string>> = {
  5: 'minimal access',
  10: 'guest',
  15: 'planner',
  20: 'reporter',
  30: 'developer',
  40: 'maintainer',
  50: 'owner',
};

const viewSchema = requestStateSchema.extend({
  head_pipeline: z.object({ id: z.int(), project_id: z.int().optional() }).nullish(),
});
const line = z.int().nullish();
const positionSchema = z.object({
  head_sha: z.string().nullish(),
  old_path: z.string().nullish(),
  new_path: z.string().nullish(),
  old_line: line,
  new_line: line,
});
const noteSchema = z.object({
  id: z.int(),
  body: z.string().nullish(),
  author: z.object({ id: z.int(), username: z.string() }).nullish(),
  system: z.boolean().default(false),
  resolved: z.boolean().nullish(),
  position: positionSchema.nullish(),
});
const threadSchema = z.object({ notes: z.array(noteSchema) });
const memberSchema = z.object({
  id: z.int(),
  access_level: z.int(),
  state: z.string().default('active'),
});
const jobSchema = z.object({
  id: z.int(),
  name: z.string(),
  status: z.string(),
  allow_failure: z.boolean().nullish(),
  web_url: z.string().nullish(),
});

function toRemark(note: z.infer<typeof noteSchema>, level: number, head: string): HostRemark {
  const { id, author, body, position } = note;
  return {
    id: `note-${id}`,
    login: author?.username ?? null,
    role: level >= owner ? 'owner' : level >= developer ? 'member' : 'stranger',
    as: levels[level] ?? 'no member',
    body,
    place: position == null ? null : placeOf(position, head),
  };
}

/** GitLab moves a thread along with the head while its line is there; one about another head is about a line that is gone. */
function placeOf(position: z.infer<typeof positionSchema>, head: string): RemarkPlace | null {
  const { head_sha: about, old_path: from, new_path: to, old_line: before, new_line: now } = position;
  const isOld = now == null && before != null;
  const path = isOld ? (from ?? to) : (to ?? from);
  if (path == null) return null;
  const side = isOld ? 'old' : 'new';
  return { path, side, line: now ?? before ?? null, isGone: about !== head, excerpt: '' };
}
