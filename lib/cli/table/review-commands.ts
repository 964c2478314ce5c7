import type { CommandTable } from '../command-spec.ts';
import { pullRequestOptions, reviewPageOptions } from './run-commands.ts';

/** Commands on changesets, also once they have landed. In the order help shows them. */
export const reviewCommands = {
  review: {
    load: () => import('../../commands/review/review.ts'),
    summary: 'Show each changeset, approve or reject it, and land it',
    details: [
      'At a terminal it asks for each changeset in turn. Elsewhere, name the changeset and the decision.',
      '--approve applies to the commit that git flame last showed you (review, merge, status, show, the page, an export). If a newer one was built or received since, the approval is refused until you have seen that commit, or name it with --commit. A changeset whose diagnostics fail lands only with --override.',
      "--try makes a worktree of the changeset, set up as agents' are, and prints the command that leads there. Again, it moves to the newest version while nothing of yours is in it. --done removes it, unless it holds changes or commits of yours that are nowhere else.",
      'With project.landing: branch, the work lands on its own branch, and the text of the pull request is made from tasks and verdicts. --pr opens the pull request, also later.',
    ],
    operand: { usage: '[CHANGESET]', kind: 'one' },
    options: {
      changeset: {
        kind: 'text',
        value: 'GROUP',
        summary: 'only the changeset of this cohesion group, or of this id',
      },
      try: { kind: 'flag', summary: 'put it into a worktree of your own, ready to run; decides nothing' },
      done: { kind: 'flag', summary: 'remove that worktree' },
      approve: { kind: 'flag', summary: 'approve the version last shown to you, without a question' },
      commit: {
        kind: 'text',
        value: 'COMMIT',
        summary: 'with --approve or --override: approve this commit, shown or not',
      },
      message: {
        kind: 'text',
        value: 'MESSAGE',
        summary: 'with --approve or --override: its commit message; the trailers Task and Session are added',
      },
      reject: { kind: 'text', value: 'REASON', summary: 'reject; its tasks are sent back with the reason' },
      keepWork: {
        kind: 'flag',
        summary: 'with --reject: the next attempts start from this work, not from the base',
      },
      tasks: {
        kind: 'list',
        value: 'ID,ID',
        summary: 'with --reject: send only these tasks back; the others continue',
      },
      skip: { kind: 'flag', summary: 'decide nothing; the next cycle shows it again' },
      takeBack: {
        kind: 'text',
        value: 'CHANGESET',
        summary: 'withdraw your decision about it, as long as nothing of it has landed',
      },
      override: {
        kind: 'text',
        value: 'REASON',
        summary: 'approve despite failing diagnostics, for this reason',
      },
      ...pullRequestOptions,
      ...reviewPageOptions,
      export: {
        kind: 'text',
        value: 'FILE',
        summary: 'write all changesets as one page to send to a colleague; decides nothing',
      },
    },
    examples: [
      { command: 'git flame review', does: 'review at the terminal' },
      {
        command: 'git flame review --export review.html',
        does: 'write a page to send; - is standard output',
      },
      { command: 'git flame review --web', does: 'review in the browser, or at the terminal' },
      { command: 'git flame review --changeset auth --approve', does: 'approve one changeset' },
      { command: 'git flame review --try auth', does: 'try one: go where this says' },
      { command: 'git flame review --pr', does: 'land on a branch, push it, open the pull request' },
      {
        command: "git flame review --changeset api --reject 'documents endpoints that do not exist'",
        does: 'reject one changeset',
      },
      {
        command: "git flame review --reject 'The salt is constant.' --tasks task-002",
        does: 'reject one task of a changeset',
      },
    ],
  },
  undo: {
    load: () => import('../../commands/undo.ts'),
    summary: 'Take back the landing of a changeset',
    details: [
      'Without a name, it takes back the latest landing.',
      'If the branch is still where the landing left it, and no remote branch or tag holds the landing, the branch moves back, in one step with the tasks, the review and the session. Otherwise a task reverts it: its changeset is checked and shown at the gate like any other, and the tasks change when it lands.',
      'Choose what happens to the tasks: --requeue sends them back with your reason, --drop gives them up. What had landed stays on the branches of its tasks.',
    ],
    operand: { usage: '[CHANGESET]', kind: 'one' },
    options: {
      requeue: { kind: 'text', value: 'REASON', summary: 'send its tasks back, with this reason' },
      drop: { kind: 'text', value: 'REASON', summary: 'give its tasks up, for this reason' },
      keepWork: {
        kind: 'flag',
        summary: 'with --requeue: the next attempts start from this work, not from the base',
      },
    },
    examples: [
      { command: 'git flame undo --dry-run', does: 'see what would be taken back, and how' },
      {
        command: "git flame undo docs --requeue 'The example does not run.'",
        does: 'take it back, and send its tasks back',
      },
    ],
  },
  pr: {
    load: () => import('../../commands/forge/pr.ts'),
    summary: 'Send comments and failed checks of the pull request to their tasks',
    details: [
      'It asks GitHub through your gh (GitLab through glab), once the session has a pull request (--pr). A comment goes to the tasks that changed its file, each once. A comment on the whole pull request, and a failed check, go to the tasks that landed last.',
      'The next attempt receives them as material, starts from what had landed, and comes to the gate like any change. git flame run --pr then pushes it to the same branch.',
      "By default, only comments of owners, members and collaborators of the repository count (pull_requests.comments_from); the others are listed. After three rounds, --more allows another one. A failed check whose log isn't available yet waits once, for the next call.",
      'With --json: {session, tasks, left, awaited}, with --dry-run {session, state, remarks, failed}.',
    ],
    options: { more: { kind: 'flag', summary: 'start another round after the third' } },
    examples: [
      { command: 'git flame pr --dry-run', does: 'see what is new there' },
      { command: 'git flame pr && git flame run --pr', does: 'start the next round' },
    ],
  },
} satisfies Partial<CommandTable>;
