import type { CommandTable } from '../command-spec.ts';
import { pageOptions, planOptions, requestOptions } from './shared-options.ts';

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
