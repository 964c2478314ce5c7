import * as z from 'zod';
import { lineSchema, textSchema } from '../text-schemas.ts';
import { commandSchema, globSchema } from './value-schemas.ts';

const branchName = lineSchema(200).refine(isBranchName, 'is not the name of a branch');

/** `project`: the repository, its branches and worktrees. */
export const projectSchema = z
  .strictObject({
    name: lineSchema(100).default('project').describe('Shown in reports and prompts.'),
    base_branch: branchName
      .nullable()
      .default(null)
      .describe('Branch that work starts from and lands on. null: the branch checked out when a session starts.'),
    worktree_dir: lineSchema(500)
      .refine(isOutsideGit, "must not be the repository itself or git's own folder")
      .nullable()
      .default(null)
      .describe(
        'Folder of the agents’ worktrees, relative to the repository or absolute. null: beside the repository (shop.trees beside shop), where its tools don’t search.',
      ),
    setup: z
      .array(commandSchema)
      .default([])
      .describe(
        'Commands that prepare a new worktree. They may reach the hosts in sandbox.egress.setup. npm ci and similar installs run once for each lock file.',
      )
      .meta({ examples: [['npm ci']] }),
    sparse: z
      .array(globSchema)
      .nullable()
      .default(null)
      .describe(
        'Folders that agents’ worktrees contain, in addition to the files at the top and those that a task’s locks need. null: the same as your checkout, which may be sparse.',
      )
      .meta({ examples: [['packages/shop', 'tools']] }),
    teardown: z
      .array(commandSchema)
      .default([])
      .describe(
        'Commands that undo what setup did elsewhere, run before a worktree is removed. They may reach the hosts in sandbox.egress.diagnostics.',
      )
      .meta({ examples: [['npm run db:drop']] }),
    copy: z
      .array(globSchema)
      .default([])
      .describe('Untracked files that are copied into each worktree.')
      .meta({ examples: [['.env.test']] }),
    link: z
      .array(globSchema)
      .default([])
      .describe('Untracked files and folders that are linked into each worktree.')
      .meta({ examples: [['node_modules']] }),
    landing: z
      .enum(['base', 'branch'])
      .default('base')
      .describe('base: approved work lands on base_branch. branch: it lands on landing_branch, for a pull request.'),
    landing_branch: lineSchema(200)
      .refine(isLandingBranch, 'is not a name a landing branch can have')
      .default('flame/{session}')
      .describe('Name of that branch; {session} stands for the id of the session.'),
    landing_style: z
      .enum(['merge', 'squash', 'rebase'])
      .default('merge')
      .describe(
        'How a changeset lands. merge: as a merge of its tasks’ work. squash: as one commit. rebase: as the commits of its tasks, one after another.',
      ),
    landing_message: textSchema(4_000)
      .refine((text) => text.trim() !== '', 'says nothing')
      .default('{group}: {titles}\n\n{list}')
      .describe(
        'Commit message of a landing. {group}, {titles}, {list} (a line for each task), {session} and {objective} are replaced; the trailers Task and Session follow.',
      ),
  })
  .describe('The repository.');

function isBranchName(name: string): boolean {
  return !/^[-/.]|[\s~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.lock(?:\/|$)|\/\.|\.$/.test(name) && name !== '@';
}

/** Task branches have `blueflame/` to themselves. */
function isLandingBranch(name: string): boolean {
  return isBranchName(name.replaceAll('{session}', 'session')) && !/^blueflame(?:\/|$)/.test(name);
}

function isOutsideGit(folder: string): boolean {
  const plain = folder.replace(/\/+$/, '').replace(/^(?:\.\/)+/, '');
  return plain !== '' && plain !== '.' && !/^\.git(?:\/|$)/i.test(plain);
}

/** The programs that speak with a host: GitHub's and GitLab's. */
export const forgeNames = ['gh', 'glab'] as const;
export type ForgeName = (typeof forgeNames)[number];

/** `pull_requests`: what is opened where approved work lands on a branch of its own, and who is heard there. */
export const pullRequestsSchema = z
  .strictObject({
    forge: z
      .enum(forgeNames)
      .nullable()
      .default(null)
      .describe(
        'The program that opens them: gh for GitHub, glab for GitLab. null: chosen by the host of the remote, else the installed one.',
      ),
    per: z
      .enum(['session', 'changeset'])
      .default('session')
      .describe(
        'session: one for all that a session lands. changeset: one for each changeset, from its own branch, stacked on those it needs.',
      ),
    comments_from: z
      .enum(['members', 'owners', 'listed'])
      .default('members')
      .describe(
        'Whose comments go to tasks. members: accounts that may write to the repository. owners: its owners. listed: only those in commenters. Comments of others are counted and reported.',
      ),
    commenters: z
      .array(lineSchema(100).regex(/^[\w.-]+(?:\[bot\])?$/, 'is not the name of an account'))
      .default([])
      .describe('Accounts whose comments go to tasks too, regardless of their permission.')
      .meta({ examples: [['lea', 'review-bot[bot]']] }),
  })
  .describe('Pull requests of GitHub and merge requests of GitLab.');
