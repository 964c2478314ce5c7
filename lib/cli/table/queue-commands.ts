import type { CommandTable } from '../command-spec.ts';

/** Commands about single tasks and agents. */
export const queueCommands: Pick<CommandTable, 'agent'> = {
  agent: {
    load: () => import('../../commands/agent.ts'),
    summary: 'List, watch and stop the agents that run now',
    details:
      'Works from any terminal on the machine the agents run on; attach only looks. A name is the id of an agent, or of the task it works on. A stopped agent gets SIGTERM and five seconds; its worktree stays, its task is tried again with no retry used up, and the run goes on. With --no-retry the task has failed.',
    operand: { usage: '[AGENT]', kind: 'one' },
    subcommands: [
      { name: 'list', summary: 'who runs, on what, for how long and for how much' },
      { name: 'attach', summary: 'show what an agent says until it ends, or Ctrl-C' },
      { name: 'stop', summary: 'end one agent and all it started' },
    ],
    options: { retry: { kind: 'no-flag', summary: 'stop: the task has failed, it is not tried again' } },
    examples: [
      { command: 'git flame agent list', does: 'who is at work' },
      { command: 'git flame agent attach worker-1a2b3c4d', does: 'read along' },
      { command: 'git flame agent stop task-001', does: 'end the agent of one task' },
    ],
  },
};
