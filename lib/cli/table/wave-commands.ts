import type { CommandTable } from '../command-spec.ts';

const pageOptions = {
  web: { kind: 'flag', summary: 'let changesets be decided on a page in the browser too' },
  open: { kind: 'no-flag', summary: 'print the address of the page, and start no browser' },
} as const;

/** Of commands that go through a whole session. */
const boardOptions = {
  web: { kind: 'flag', summary: 'serve a board in the browser, where each question can be answered too' },
  open: pageOptions.open,
} as const;

const requestOptions = {
  pr: { kind: 'flag', summary: 'push the landing branch and open its pull request with gh' },
} as const;

/** Commands that run waves. In the order help shows them. */
export const waveCommands = {
  plan: {
    load: () => import('../../commands/plan/plan.ts'),
    summary: 'Turn an objective into tasks and have the plan approved',
    details:
      'A planner proposes the tasks, or a file written by hand replaces it. You approve the plan, edit it, ask for another one or quit. No task exists before you approve.',
    operand: { usage: '[OBJECTIVE...]', kind: 'words' },
    options: {
      from: {
        kind: 'text',
        value: 'FILE',
        summary: 'read the plan from a YAML or JSON file; -: from standard input',
      },
      new: { kind: 'flag', summary: 'leave an open session as it is and start another' },
      interactive: { kind: 'yes-no', summary: 'talk with the planner, or let it answer at once' },
    },
    examples: [
      { command: "git flame plan 'Add login with a password'", does: 'plan one objective' },
      { command: 'git flame plan --from plan.yml', does: 'use a plan written by hand' },
    ],
  },
  work: {
    load: () => import('../../commands/work.ts'),
    summary: 'Run the workers on every task that is ready',
    details:
      "Each worker has a worktree of its own and can write nothing else. Ends when nothing more can be started. With --join, this machine takes tasks of a session that another one leads (git flame run --remote), and ends with it. Nothing of another machine's plan runs before you have agreed to it: name its digest with --plan, or say so at the terminal. Work alone needs nothing more; what this machine judges, merges or has its person decide counts where the one that leads trusts it with that: git flame machines --trust NAME --role validate, typed there. Where the lead's person raises the session's budget, this machine's agents may spend of that too, but never more in all than --budget says, or the limit of a session in this clone's configuration.",
    options: {
      join: {
        kind: 'optional',
        value: 'REMOTE',
        summary: 'work in the session that is led through this remote',
      },
      plan: { kind: 'text', value: 'DIGEST', summary: 'with --join: agree to the plan with this digest' },
      role: {
        kind: 'list',
        value: 'A,B',
        summary: 'with --join: work, validate, merge, review (machines.roles)',
      },
      budget: {
        kind: 'text',
        value: 'AMOUNT',
        summary: "with --join: what this machine may spend in all (the session's configured limit)",
      },
    },
    examples: [
      { command: 'git flame work', does: 'work on the approved plan' },
      { command: 'git flame work --dry-run', does: 'show what would be started' },
      { command: 'git flame work --join origin', does: 'help with the session that is led through origin' },
      {
        command: 'git flame work --join origin --role validate',
        does: 'judge what others did, take no tasks',
      },
    ],
  },
  validate: {
    load: () => import('../../commands/validate.ts'),
    summary: 'Have every finished task checked by diagnostics and a validator',
    details:
      'A failing diagnostic never becomes a pass. You requeue, edit, pass or drop what fails; without a terminal, name the task and the decision. With --verify, the diagnostics run once more on commits that were judged, of one task or of the whole session, landed ones too: the output is compared with the evidence of the verdict by its hash, and differences are shown at the review. They reject nothing.',
    operand: { usage: '[TASK]', kind: 'one' },
    options: {
      requeue: { kind: 'text', value: 'NOTES', summary: 'send TASK, which failed, back with these notes' },
      keepWork: {
        kind: 'flag',
        summary: 'with --requeue: the next attempt starts from this work, not from the base',
      },
      override: { kind: 'text', value: 'REASON', summary: 'pass TASK although it failed, for this reason' },
      verify: { kind: 'flag', summary: 'check again what was judged, and compare' },
    },
    examples: [
      { command: 'git flame validate', does: 'check what the workers finished' },
      {
        command: "git flame validate task-001 --requeue 'The salt is constant.' --keep-work",
        does: 'have the next attempt go on from this work',
      },
      { command: 'git flame validate --verify task-001', does: 'see whether the result is the same again' },
    ],
    exitCodes: [{ code: 1, means: 'a task did not pass; with --verify: something came out differently' }],
  },
  merge: {
    load: () => import('../../commands/merge.ts'),
    summary: 'Build one changeset per cohesion group on the current base branch',
    details: 'Nothing lands yet: a conflict is reported, never guessed.',
    options: {},
    examples: [{ command: 'git flame merge', does: 'build the changesets to review' }],
  },
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
      'Asks GitHub through your gh, once the session has a pull request (--pr). A comment goes to the tasks that changed its file, each once; what is said of the whole, and failed checks, go to the tasks that landed last. They are told to the next attempt as material, start from what had landed, and come to the gate like any change; git flame run --pr then pushes them to the same branch. Only what owners, members and collaborators of the repository say counts; the others are named. After three rounds, --more allows another one. With --json: {session, tasks, left}, with --dry-run {session, state, remarks, failed}.',
    options: { more: { kind: 'flag', summary: 'go on although it went through three rounds' } },
    examples: [
      { command: 'git flame pr --dry-run', does: 'see what is new there' },
      { command: 'git flame pr && git flame run --pr', does: 'the next round' },
    ],
  },
  run: {
    load: () => import('../../commands/run.ts'),
    summary: 'Go through all waves: plan, work, validate, merge and review',
    details:
      'Continues the current session, or starts one. Stops at each gate that no person can answer, with everything saved.',
    operand: { usage: '[OBJECTIVE...]', kind: 'words' },
    options: {
      from: {
        kind: 'text',
        value: 'FILE',
        summary: 'read the plan from a YAML or JSON file; -: from standard input',
      },
      new: { kind: 'flag', summary: 'leave an open session as it is and start another' },
      remote: {
        kind: 'optional',
        value: 'REMOTE',
        summary: 'let other machines join through this remote; what lands is pushed there',
      },
      takeOver: {
        kind: 'flag',
        summary: 'with --remote: lead a session that another machine led and left',
      },
      queen: {
        kind: 'flag',
        summary: 'have a model lead: she plans, assigns and judges; the gates stay yours',
      },
      ...requestOptions,
      ...boardOptions,
    },
    examples: [
      { command: "git flame run 'Add login with a password'", does: 'the whole cycle' },
      { command: 'git flame run', does: 'continue where it stopped' },
      { command: "git flame run --remote origin 'Add login'", does: 'work on it with other machines' },
      { command: "git flame run --queen 'Add login with a password'", does: 'a model leads the agents' },
      {
        command: "git flame run 'Fix the build' --decisions-file decisions.yml --json",
        does: 'a run without questions, one event a line',
      },
    ],
  },
  resume: {
    load: () => import('../../commands/resume.ts'),
    summary: 'Continue a session after a stop or a kill',
    details:
      'Ends agents that outlived their run, frees their tasks, brings the checkout along where a landing was cut short, says which worktrees were kept, and continues like git flame run. Without a name, it continues the current session.',
    operand: { usage: '[SESSION]', kind: 'one' },
    options: boardOptions,
    examples: [
      { command: 'git flame resume', does: 'continue the current session' },
      { command: 'git flame resume ses-20260206-143022-1a2b', does: 'continue an earlier one' },
    ],
  },
} satisfies Partial<CommandTable>;
