import type { CommandTable } from '../command-spec.ts';

/** Of commands that show changesets on a page. */
export const pageOptions = {
  web: { kind: 'flag', summary: 'let changesets be decided on a page in the browser too' },
  open: { kind: 'no-flag', summary: 'print the address of the page, and start no browser' },
} as const;

const boardOptions = {
  web: { kind: 'flag', summary: 'serve a board in the browser, where each question can be answered too' },
  port: { kind: 'number', value: 'N', summary: 'with --web: on this port (one that is free)' },
  address: {
    kind: 'text',
    value: 'ADDRESS',
    summary: 'with --web: where your own tunnel leads to it, or the address of this machine to serve on',
  },
  open: pageOptions.open,
} as const;

/** Options for planning a session. */
const planOptions = {
  from: {
    kind: 'text',
    value: 'FILE',
    summary: 'read the plan from a YAML or JSON file; -: from standard input',
  },
  new: { kind: 'flag', summary: 'leave an open session as it is and start another' },
} as const;

/** Of commands that land what was approved. */
export const requestOptions = {
  pr: { kind: 'flag', summary: 'push the landing branch and open its pull request with gh' },
} as const;

/** Commands that go through a whole session. In the order help shows them. */
export const runCommands = {
  run: {
    load: () => import('../../commands/run.ts'),
    summary: 'Go through all waves: plan, work, validate, merge and review',
    details:
      'Continues the current session, or starts one. Stops at each gate that no person can answer, with everything saved.',
    operand: { usage: '[OBJECTIVE...]', kind: 'words' },
    options: {
      ...planOptions,
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
        summary: 'have a model lead: it plans, assigns and judges; the gates stay yours',
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

/** Commands that run waves. In the order help shows them. */
export const waveCommands = {
  plan: {
    load: () => import('../../commands/plan/plan.ts'),
    summary: 'Turn an objective into tasks and have the plan approved',
    details:
      'A planner proposes the tasks, or a file written by hand replaces it. You approve the plan, edit it, ask for another one or quit. No task exists before you approve.',
    operand: { usage: '[OBJECTIVE...]', kind: 'words' },
    options: {
      ...planOptions,
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
      'A failing diagnostic never becomes a pass. You requeue, edit, pass, drop or check again what fails; without a terminal, name the task and the decision. With --recheck, after you mended what the checks lacked (sandbox.egress, dependencies, a tool), the very commit is judged once more, and that verdict counts. With --verify, the diagnostics run once more on commits that were judged, of one task or of the whole session, landed ones too: the output is compared with the evidence of the verdict by its hash, and differences are shown at the review. They reject nothing.',
    operand: { usage: '[TASK]', kind: 'one' },
    options: {
      requeue: { kind: 'text', value: 'NOTES', summary: 'send TASK, which failed, back with these notes' },
      keepWork: {
        kind: 'flag',
        summary: 'with --requeue: the next attempt starts from this work, not from the base',
      },
      override: { kind: 'text', value: 'REASON', summary: 'pass TASK although it failed, for this reason' },
      recheck: { kind: 'flag', summary: 'judge TASK, which failed, once more as it is' },
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
} satisfies Partial<CommandTable>;
