import * as z from 'zod';
import { lineSchema } from '../text.ts';

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
        'The program that opens them: gh for GitHub, glab for GitLab. null: by the host of the remote, else whichever is there.',
      ),
    per: z
      .enum(['session', 'changeset'])
      .default('session')
      .describe(
        'What one is opened for. session: all that a session lands. changeset: each changeset, from a branch of its own, upon those it needs.',
      ),
    comments_from: z
      .enum(['members', 'owners', 'listed'])
      .default('members')
      .describe(
        'Whose comments come back to tasks. members: those who may write to the repository. owners: its owners. listed: only those in commenters. All others are counted and said.',
      ),
    commenters: z
      .array(lineSchema(100).regex(/^[\w.-]+(?:\[bot\])?$/, 'is not the name of an account'))
      .default([])
      .describe('Names of accounts whose comments come back too, whatever they are there.')
      .meta({ examples: [['lea', 'review-bot[bot]']] }),
  })
  .describe('Pull requests of GitHub and merge requests of GitLab.');
