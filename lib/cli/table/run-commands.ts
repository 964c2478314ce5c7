import type { CommandTable } from '../command-spec.ts';

/** Of commands that show changesets on a page. */
export const reviewPageOptions = {
  web: { kind: 'flag', summary: 'decide changesets on a page in the browser too' },
  open: { kind: 'no-flag', summary: 'print the address of the page, and start no browser' },
} as const;

const boardOptions = {
  web: { kind: 'flag', summary: 'serve a board in the browser, where you can answer each question too' },
  port: { kind: 'number', value: 'N', summary: 'with --web: on this port (a free one)' },
  address: {
    kind: 'text',
    value: 'ADDRESS',
    summary: 'with --web: the public address of your own tunnel to it, or the address of this machine to serve it on',
  },
  open: reviewPageOptions.open,
} as const;

/** Options for planning a session. */
const planOptions = {
  from: {
    kind: 'text',
    value: 'FILE',
    summary: 'read the plan from a YAML or JSON file; - is standard input',
  },
  new: { kind: 'flag', summary: 'leave an open session as it is and start another' },
} as const;

/** Of commands that land what was approved. */
export const pullRequestOptions = {
  pr: { kind: 'flag', summary: 'push the landing branch and open its pull request, with gh or glab' },
} as const;

/** Commands that go through a whole session. In the order help shows them. */
export const runCommands = {
  run: {
    load: () => import('../../commands/run.ts'),
    summary: 'Run all waves: plan, work, validate, merge and review',
    details: [
      'It continues the current session, or starts one. At a gate that no person can answer, it saves everything and stops.',
    ],
    operand: { usage: '[OBJECTIVE...]', kind: 'words' },
    options: {
      ...planOptions,
      remote: {
        kind: 'optional',
        value: 'REMOTE',
        summary: 'let other machines join through this remote; landings are pushed there',
      },
      takeOver: {
        kind: 'flag',
        summary: 'with --remote: lead a session that another machine stopped leading',
      },
      queen: {
        kind: 'flag',
        summary: 'let a model lead: it plans, assigns and judges; you decide at the gates',
      },
      ...pullRequestOptions,
      ...boardOptions,
    },
    examples: [
      { command: "git flame run 'Add login with a password'", does: 'run the whole cycle' },
      { command: 'git flame run', does: 'continue where it stopped' },
      { command: "git flame run --remote origin 'Add login'", does: 'share the work with other machines' },
      { command: "git flame run --queen 'Add login with a password'", does: 'let a model lead the agents' },
      {
        command: "git flame run 'Fix the build' --decisions-file decisions.yml --json",
        does: 'run without questions, print one event a line',
      },
    ],
  },
  resume: {
    load: () => import('../../commands/resume.ts'),
    summary: 'Continue a session after a stop or a kill',
    details: [
      'It ends agents that outlived their run, frees their tasks, updates the checkout if a landing was cut short, lists the worktrees that were kept, and continues like git flame run. Without a name, it continues the current session.',
    ],
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
    details: [
      'A planner proposes the tasks, or you write the plan yourself in a file. You approve the plan, edit it, ask for another one or quit. No task exists before you approve.',
    ],
    operand: { usage: '[OBJECTIVE...]', kind: 'words' },
    options: {
      ...planOptions,
      interactive: { kind: 'yes-no', summary: 'talk with the planner, or let it plan without you' },
    },
    examples: [
      { command: "git flame plan 'Add login with a password'", does: 'plan one objective' },
      { command: 'git flame plan --from plan.yml', does: 'use a plan written by hand' },
    ],
  },
  work: {
    load: () => import('../../commands/work.ts'),
    summary: 'Run the workers on every task that is ready',
    details: [
      'Each worker has its own worktree and can write nothing else. The command ends when nothing more can be started.',
      "With --join, this machine takes tasks of a session that another machine leads (git flame run --remote), and ends with it. It runs nothing of that machine's plan before you agree to it: name the plan's digest with --plan, or agree at the terminal.",
      'Its work needs no more than that. Its verdicts count only if the lead machine trusts them: git flame machines --trust NAME, typed on the lead machine.',
      "If the session's budget is raised there, agents of this machine may spend from that too, but never more in total than --budget, or the session limit in this clone's configuration.",
    ],
    options: {
      join: {
        kind: 'optional',
        value: 'REMOTE',
        summary: 'work in the session that is shared through this remote',
      },
      plan: { kind: 'text', value: 'DIGEST', summary: 'with --join: agree to the plan with this digest' },
      role: {
        kind: 'list',
        value: 'A,B',
        summary: 'with --join: work, validate (machines.roles)',
      },
      budget: {
        kind: 'text',
        value: 'AMOUNT',
        summary: "with --join: what this machine may spend in total (the session's configured limit)",
      },
    },
    examples: [
      { command: 'git flame work', does: 'work on the approved plan' },
      { command: 'git flame work --dry-run', does: 'show what would be started' },
      {
        command: 'git flame work --join origin',
        does: 'help with the session that is shared through origin',
      },
      {
        command: 'git flame work --join origin --role validate',
        does: 'validate the work of others, take no tasks',
      },
    ],
  },
  validate: {
    load: () => import('../../commands/validate.ts'),
    summary: 'Check every finished task by diagnostics and a validator',
    details: [
      'A failing diagnostic never becomes a pass. You decide on each task that fails: requeue, edit, pass, drop or check it again. Without a terminal, name the task and the decision.',
      '--recheck judges the same commit once more, and the new verdict counts. Use it after you fixed what the checks lacked (sandbox.egress, dependencies, a tool).',
      '--verify runs the diagnostics again on commits that were judged, of one task or of the whole session, including landed ones. It compares the hash of the output with the evidence of the verdict. Differences are shown at the review, and reject nothing.',
    ],
    operand: { usage: '[TASK]', kind: 'one' },
    options: {
      requeue: { kind: 'text', value: 'NOTES', summary: 'send TASK, which failed, back with these notes' },
      keepWork: {
        kind: 'flag',
        summary: 'with --requeue: the next attempt starts from this work, not from the base',
      },
      override: { kind: 'text', value: 'REASON', summary: 'pass TASK although it failed, for this reason' },
      recheck: { kind: 'flag', summary: 'judge TASK, which failed, again as it is' },
      verify: { kind: 'flag', summary: 'run the diagnostics again on what was judged, and compare' },
    },
    examples: [
      { command: 'git flame validate', does: 'check what the workers finished' },
      {
        command: "git flame validate task-001 --requeue 'The salt is constant.' --keep-work",
        does: 'send it back; the next attempt continues from this work',
      },
      { command: 'git flame validate --verify task-001', does: 'check that the result is still the same' },
    ],
    exitCodes: [{ code: 1, means: 'a task did not pass; with --verify: a result differs' }],
  },
  merge: {
    load: () => import('../../commands/merge.ts'),
    summary: 'Build one changeset per cohesion group on the current base branch',
    details: ['Nothing lands yet. A conflict is reported, never guessed.'],
    options: {},
    examples: [{ command: 'git flame merge', does: 'build the changesets to review' }],
  },
} satisfies Partial<CommandTable>;
