import type { CommandTable } from '../command-spec.ts';
import { pageOptions, requestOptions } from './run-commands.ts';

/** Commands on changesets, also once they have landed. In the order help shows them. */
export const reviewCommands = {
  review: {
    load: () => import('../../commands/review/review.ts'),
    summary: 'Show each changeset, have it approved or rejected, and land it',
    details:
      'At a terminal it asks for each changeset in turn. Elsewhere, name the changeset and the decision: --approve is about the commit that git flame last showed you (review, merge, status, show, the page, an export), and what was built or received since is refused until you have seen it, or name it with --commit. A changeset whose diagnostics fail lands only with --override. With project.landing: branch the work lands on a branch of its own, and the text of its pull request is made from tasks and verdicts; --pr opens it, also later.',
    options: {
      changeset: {
        kind: 'text',
        value: 'GROUP',
        summary: 'only the changeset of this cohesion group, or of this id',
      },
      approve: { kind: 'flag', summary: 'approve what was last shown to you, without asking' },
      commit: {
        kind: 'text',
        value: 'COMMIT',
        summary: 'with --approve or --override: the commit that is meant, shown or not',
      },
      message: {
        kind: 'text',
        value: 'MESSAGE',
        summary: 'with --approve or --override: what it lands with; who it is of is added',
      },
      reject: { kind: 'text', value: 'REASON', summary: 'reject; its tasks are requeued with the reason' },
      keepWork: {
        kind: 'flag',
        summary: 'with --reject: the next attempts start from this work, not from the base',
      },
      tasks: {
        kind: 'list',
        value: 'ID,ID',
        summary: 'with --reject: only these tasks go back, the others of the changeset go on',
      },
      skip: { kind: 'flag', summary: 'decide nothing; it is shown again in the next cycle' },
      takeBack: {
        kind: 'text',
        value: 'CHANGESET',
        summary: 'take back what was decided about it, until something of it lands',
      },
      override: {
        kind: 'text',
        value: 'REASON',
        summary: 'approve although diagnostics fail, for this reason',
      },
      ...requestOptions,
      ...pageOptions,
      export: {
        kind: 'text',
        value: 'FILE',
        summary: 'write it all as one page to send to a colleague; decides nothing',
      },
    },
    examples: [
      { command: 'git flame review', does: 'review at the terminal' },
      { command: 'git flame review --export review.html', does: 'a page to send, - for standard output' },
      { command: 'git flame review --web', does: 'review in the browser, or at the terminal' },
      { command: 'git flame review --changeset auth --approve', does: 'approve one changeset' },
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
    summary: 'Take the landing of a changeset back',
    details:
      'Without a name, the one that landed last. Where the branch is still as the landing left it and no remote branch or tag holds it, the branch moves back, in one step with the tasks, the review and the session. Else a task reverts it: its changeset is checked and shown at the gate like any other, and what becomes of the tasks follows when it lands. Say which: --requeue has them done again and tells why, --drop gives them up. What had landed stays on the branches of its tasks.',
    operand: { usage: '[CHANGESET]', kind: 'one' },
    options: {
      requeue: { kind: 'text', value: 'REASON', summary: 'its tasks are done again, and are told why' },
      drop: { kind: 'text', value: 'REASON', summary: 'its tasks are given up' },
      keepWork: {
        kind: 'flag',
        summary: 'with --requeue: the next attempts start from this work, not from the base',
      },
    },
    examples: [
      { command: 'git flame undo --dry-run', does: 'see what would be taken back, and how' },
      {
        command: "git flame undo docs --requeue 'The example does not run.'",
        does: 'take it back and have it done again',
      },
    ],
  },
  pr: {
    load: () => import('../../commands/forge/pr.ts'),
    summary: 'Bring comments and failed checks of the pull request back to their tasks',
    details:
      'Asks GitHub through your gh, once the session has a pull request (--pr). A comment goes to the tasks that changed its file, each once; what is said of the whole, and failed checks, go to the tasks that landed last. They are told to the next attempt as material, start from what had landed, and come to the gate like any change; git flame run --pr then pushes them to the same branch. Only what owners, members and collaborators of the repository say counts; the others are named. After three rounds, --more allows another one. A failed check whose log is not there yet waits once for the next call. With --json: {session, tasks, left, awaited}, with --dry-run {session, state, remarks, failed}.',
    options: { more: { kind: 'flag', summary: 'go on although it went through three rounds' } },
    examples: [
      { command: 'git flame pr --dry-run', does: 'see what is new there' },
      { command: 'git flame pr && git flame run --pr', does: 'the next round' },
    ],
  },
} satisfies Partial<CommandTable>;
