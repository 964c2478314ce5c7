import { type FakeForge, type HostAnswers, makeFakeForge } from './fake-forge.ts';
import type { TestRepo } from './repo.ts';

/** What GitLab would say; the shapes are those its REST API and `glab --output json` document. */
export interface GitLab extends HostAnswers {
  state?: 'opened' | 'closed' | 'merged' | 'locked';
  threads?: readonly unknown[];
  members?: readonly unknown[];
  pipeline?: unknown;
  jobs?: readonly unknown[];
  /** By the number of the job. */
  traces?: Readonly<Record<string, string>>;
  /** Of single merge requests, by their number: 7, 8, … as they were opened. */
  of?: Readonly<Record<number, Omit<GitLab, 'of'>>>;
}

export type FakeGlab = FakeForge<GitLab>;

const address = 'https://gitlab.example/lea/group/sample/-/merge_requests/';

/** `GET /projects/:id/members/all`. */
const members = [
  ...[
    [1, 'lea', 50],
    [2, 'dev', 30],
    [3, 'reporter', 20],
  ].map(([id, username, level]) => ({
    ...{ id, username, name: username, state: 'active', locked: false, membership_state: 'active' },
    ...{ avatar_url: null, web_url: `https://gitlab.example/${username}`, expires_at: null },
    ...{ access_level: level, created_at: '2026-01-01T00:00:00.000Z' },
  })),
  { id: 4, username: 'gone', name: 'Gone', state: 'blocked', access_level: 40 },
];

/** A glab on PATH that answers as told, and a remote of our own to push to that says it is GitLab's. */
export function makeFakeGlab(repo: TestRepo): FakeGlab {
  const asks = /merge_requests\/(\d+)/;
  return makeFakeForge(repo, { name: 'glab', asks, address, answer, usual: { members } });
}

const answer = `
if (noun === 'mr' && verb === 'create') {
  const branch = words[words.indexOf('--source-branch') + 1];
  if (isThere(branch) && ((all.of ?? {})[known[branch]] ?? answers).state !== 'merged')
    refuse('could not create merge request: POST https://gitlab.example/api/v4/projects/lea%2Fgroup%2Fsample/merge_requests: 409 {message: [Another open merge request already exists for this source branch: !' + (known[branch] ?? 7) + ']}');
  console.error('\\nCreating merge request for ' + branch + ' into main in lea/group/sample\\n');
  const next = open(branch);
  console.log('!' + next + ' Greet (' + branch + ')\\n ' + urlOf(next) + '\\n');
} else if (noun === 'mr' && verb === 'update') console.log('- Updating merge request !7\\n✓ updated title\\n\\n!7 Greet\\n ' + url);
else if (noun === 'mr' && verb === 'view') {
  if (!isThere(words[2])) refuse('no open merge request available for "' + words[2] + '"');
  say({ id: 900, iid: number, state: answers.state ?? 'opened', web_url: url, sha: head() });
} else if (noun === 'issue' && verb === 'view') say(answers.issue);
else if (noun !== 'api') refuse('unknown command ' + line);
else if (line.includes('/discussions')) pages(answers.threads);
else if (line.includes('/members/all')) pages(answers.members);
else if (line.includes('/jobs?')) pages(answers.jobs);
else if (line.includes('/trace')) process.stdout.write((answers.traces ?? {})[/jobs\\/(\\d+)\\/trace/.exec(line)[1]] ?? '');
else if (asked !== undefined)
  say({ id: 900, iid: number, project_id: 3, state: answers.state ?? 'opened', sha: head(), web_url: url, head_pipeline: answers.pipeline ?? null });
else { console.log('{"message":"404 Not found"}'); refuse('glab: 404 Not found (HTTP 404)'); }
`;

let next = 1000;

/** A thread with one note, as `GET /projects/:id/merge_requests/:iid/discussions` has it. */
export function thread(
  note: Readonly<Record<string, unknown>>,
  position: Readonly<Record<string, unknown>> | null = null,
): Record<string, unknown> {
  next += 1;
  return {
    id: `6a9c1750b37d513a43987b574953fceb50b0${next}`,
    individual_note: position === null,
    notes: [
      {
        id: next,
        type: position === null ? null : 'DiffNote',
        body: 'Say it louder.',
        attachment: null,
        author: { id: 2, name: 'Dev', username: 'dev', state: 'active', avatar_url: null },
        created_at: '2026-11-20T10:00:00.000Z',
        updated_at: '2026-11-20T10:00:00.000Z',
        system: false,
        noteable_id: 900,
        noteable_type: 'MergeRequest',
        resolvable: position !== null,
        ...(position === null
          ? {}
          : {
              resolved: false,
              position: {
                base_sha: 'b5d6e7b1613fca24d250fa8e5bc7bcc3dd6002ef',
                start_sha: 'b5d6e7b1613fca24d250fa8e5bc7bcc3dd6002ef',
                head_sha: '4803c71e6b1833ca72b8b26ef2ecd5adc8a38031',
                old_path: 'src/one.txt',
                new_path: 'src/one.txt',
                position_type: 'text',
                old_line: null,
                new_line: 1,
                ...position,
              },
            }),
        ...note,
      },
    ],
  };
}
