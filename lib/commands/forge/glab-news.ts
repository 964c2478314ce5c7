import * as z from 'zod';
import { oneLine } from '../../core/task/one-line.ts';
import type { FailedCheck, PullRequestNews, RemarkPlace } from '../../domain/state/pull-request.ts';
import type { Address } from './address.ts';
import { endOfLog, mostLogs } from './end-of-log.ts';
import type { NewsWish } from './forge.ts';
import { heedRemarks, type Said } from './heed-remarks.ts';
import { readForgePages, readForgeValue } from './read-forge-json.ts';
import type { AskForge } from './run-forge.ts';

/**
 * All that was said of a merge request so far, but for threads that are resolved, and what the jobs of its latest
 * pipeline came to. Throws the FlameErrors of runForge.
 */
export async function readGlabNews(
  { host, project, number }: Address,
  { heeding, heard }: NewsWish,
  ask: AskForge,
): Promise<PullRequestNews> {
  const get = (path: string, ...more: readonly string[]): Promise<string> =>
    ask(['api', '--hostname', host, ...more, path]);
  const list = async <Value>(path: string, schema: z.ZodType<Value>): Promise<readonly Value[]> =>
    readForgePages(
      'glab',
      schema,
      await get(`${path}${path.includes('?') ? '&' : '?'}per_page=100`, '--paginate'),
    );
  const where = `projects/${encodeURIComponent(project)}`;
  const view = readForgeValue('glab', viewSchema, await get(`${where}/merge_requests/${number}`));
  const threads = await list(`${where}/merge_requests/${number}/discussions`, threadSchema);
  const members = heeding.comments_from === 'listed' ? [] : await list(`${where}/members/all`, memberSchema);
  const levelOf = new Map(
    members.flatMap(({ id, access_level: level, state }) => (state === 'active' ? [[id, level]] : [])),
  );
  const notes = threads.flatMap((thread) => thread.notes);
  const said = notes
    .filter(({ system, resolved }) => !system && resolved !== true)
    .map((note) => toSaid(note, levelOf.get(note.author?.id ?? 0) ?? 0, view.sha));
  return {
    ...{ state: states[view.state], head: view.sha, ...heedRemarks(said, heeding) },
    failed: view.head_pipeline == null ? [] : await failedJobs(view.head_pipeline),
  };

  async function failedJobs({ id, project_id: owner }: z.infer<typeof pipelineSchema>) {
    const place = owner === undefined ? where : `projects/${owner}`;
    const jobs = await list(`${place}/pipelines/${id}/jobs?scope[]=failed`, jobSchema);
    const failed: FailedCheck[] = [];
    let logs = 0;
    for (const job of jobs.filter((one) => one.status === 'failed' && one.allow_failure !== true)) {
      const check = toFailed(job, view.sha);
      const wantsLog = !heard.has(check.id) && logs < mostLogs;
      if (wantsLog) logs += 1;
      const log = wantsLog ? await endOfLog(() => get(`${place}/jobs/${job.id}/trace`)) : '';
      failed.push({ ...check, log });
    }
    return failed;
  }
}

/** What became of it. Throws the FlameErrors of runForge. */
export async function readGlabStanding(
  { host, project, number }: Address,
  ask: AskForge,
): Promise<Pick<PullRequestNews, 'state' | 'head'>> {
  const path = `projects/${encodeURIComponent(project)}/merge_requests/${number}`;
  const { state, sha } = readForgeValue('glab', standingSchema, await ask(['api', '--hostname', host, path]));
  return { state: states[state], head: sha };
}

// A merge that is under way there is locked.
const states = { opened: 'open', locked: 'open', closed: 'closed', merged: 'merged' } as const;

/** Who may push, and who owns the project: GitLab's own numbers. */
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

const pipelineSchema = z.object({
  id: z.int(),
  project_id: z.int().optional(),
  status: z.string().nullish(),
});
const standingSchema = z.object({
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
  sha: z.string().regex(/^[0-9a-f]{40,64}$/),
});
const viewSchema = standingSchema.extend({
  head_pipeline: pipelineSchema.nullish(),
});
const line = z.int().nullish();
const noteSchema = z.object({
  id: z.int(),
  body: z.string().nullish(),
  author: z.object({ id: z.int(), username: z.string() }).nullish(),
  system: z.boolean().default(false),
  resolved: z.boolean().nullish(),
  position: z
    .object({
      head_sha: z.string().nullish(),
      old_path: z.string().nullish(),
      new_path: z.string().nullish(),
      old_line: line,
      new_line: line,
    })
    .nullish(),
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

function toSaid(
  { id, author, body, position }: z.infer<typeof noteSchema>,
  level: number,
  head: string,
): Said {
  const standing = level >= owner ? 'owner' : level >= developer ? 'member' : 'stranger';
  return {
    id: `note-${id}`,
    login: author?.username ?? null,
    standing,
    as: levels[level] ?? 'no member',
    body,
    place: position == null ? null : placeOf(position, head),
  };
}

/** Where the thread still is, GitLab moves it along with the head; one about another head is about a line that is gone. */
function placeOf(
  {
    head_sha: about,
    old_path: from,
    new_path: to,
    old_line: before,
    new_line: now,
  }: NonNullable<z.infer<typeof noteSchema>['position']>,
  head: string,
): RemarkPlace | null {
  const isOld = now == null && before != null;
  const path = isOld ? (from ?? to) : (to ?? from);
  if (path == null) return null;
  return {
    ...{ path, side: isOld ? 'old' : 'new', line: now ?? before ?? null },
    ...{ isGone: about !== head, excerpt: '' },
  };
}

function toFailed({ name: job, status, web_url: url }: z.infer<typeof jobSchema>, head: string): FailedCheck {
  const name = oneLine(job, 200);
  return {
    ...{ id: `check-${head.slice(0, 12)}-${name}`, name, conclusion: status },
    ...{ url: oneLine(url ?? '', 500), log: '' },
  };
}
