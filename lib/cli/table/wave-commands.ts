import type { CommandTable } from '../command-spec.ts';
import { planOptions } from './shared-options.ts';

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
