import { type FakeForge, type HostAnswers, makeFakeForge } from './fake-forge.ts';
import type { TestRepo } from './repo.ts';

/** What GitHub would say; the shapes are those its REST API and `gh --json` document. */
export interface GitHub extends HostAnswers {
  state?: 'OPEN' | 'CLOSED' | 'MERGED';
  checks?: readonly unknown[];
  lines?: readonly unknown[];
  reviews?: readonly unknown[];
  talk?: readonly unknown[];
  /** Of failed jobs, by their number: a line is names of job and step, a time, and the text. */
  logs?: Readonly<Record<string, string>>;
  /** What logins may do; write where none is said. */
  permissions?: Readonly<Record<string, string>>;
  /** The one that was opened is merged, so that another one can be. */
  mergedOnce?: boolean;
  /** Of single pull requests, by their number: 7, 8, … as they were opened. */
  of?: Readonly<Record<number, Omit<GitHub, 'of'>>>;
}

export type FakeGh = FakeForge<GitHub>;

const address = 'https://github.example/lea/sample/pull/';
export const pullRequest = `${address}7`;

/** A gh on PATH that answers as told, and a remote of our own to push to. */
export function makeFakeGh(repo: TestRepo): FakeGh {
  const asks = /\/(?:pull|pulls|issues)\/(\d+)(?:\/|\s|$)/;
  return makeFakeForge(repo, { name: 'gh', asks, address, answer });
}

const answer = `
if (noun === 'pr' && verb === 'create') {
  const branch = words[words.indexOf('--head') + 1];
  const state = ((all.of ?? {})[known[branch]] ?? answers).state;
  if (isThere(branch) && answers.mergedOnce !== true && state !== 'MERGED')
    refuse('a pull request for branch "' + branch + '" into branch "main" already exists:\\n' + urlOf(known[branch] ?? 7));
  if (readFileSync(words[words.indexOf('--body-file') + 1], 'utf8').length > 65536)
    refuse('pull request create failed: GraphQL: Body is too long (maximum is 65536 characters) (createPullRequest)');
  console.error('\\nCreating pull request for ' + branch + ' into main in https://github.example/lea/sample\\n');
  console.log(urlOf(answers.mergedOnce === true ? open(branch, known[branch] ?? 7) : open(branch)));
} else if (noun === 'pr' && verb === 'edit') console.log(url);
else if (noun === 'pr' && verb === 'view' && !words[2].startsWith('https:')) {
  if (!isThere(words[2])) refuse('no pull requests found for branch "' + words[2] + '"');
  say({ url, state: answers.state ?? 'OPEN' });
} else if (noun === 'pr' && verb === 'view')
  say({ state: answers.state ?? 'OPEN', headRefOid: head(), statusCheckRollup: answers.checks ?? [] });
else if (noun === 'run' && verb === 'view') process.stdout.write((answers.logs ?? {})[words[3]] ?? '');
else if (noun === 'issue') say(answers.issue);
else if (line.includes('/pulls/' + asked + '/comments')) pages(answers.lines);
else if (line.includes('/pulls/' + asked + '/reviews')) pages(answers.reviews);
else if (line.includes('/issues/' + asked + '/comments')) pages(answers.talk);
else if (line.includes('/collaborators/')) {
  const login = decodeURIComponent(/collaborators\\/([^/]+)\\/permission/.exec(line)[1]);
  const role_name = (answers.permissions ?? {})[login] ?? 'write';
  if (role_name === 'hidden') refuse('gh: Must have push access to view collaborator permission. (HTTP 403)');
  say({ permission: { maintain: 'write', triage: 'read' }[role_name] ?? role_name, role_name, user: { login } });
} else refuse('unknown command ' + line);
`;

let next = 1000;

/** A comment on a line, as `GET /repos/{owner}/{repo}/pulls/{number}/comments` has it. */
export function lineComment(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  next += 1;
  return {
    id: next,
    pull_request_review_id: 42,
    path: 'src/one.txt',
    position: 1,
    original_position: 1,
    line: 1,
    original_line: 1,
    side: 'RIGHT',
    commit_id: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
    diff_hunk: '@@ -0,0 +1 @@\n+attempt 1',
    user: { login: 'octocat', type: 'User' },
    body: 'Say it louder.',
    author_association: 'MEMBER',
    subject_type: 'line',
    created_at: '2026-11-20T10:00:00Z',
    ...changes,
  };
}
