import type { CommandTable } from '../command-spec.ts';

/** Commands about single tasks and agents. */
export const queueCommands: Pick<CommandTable, 'task' | 'agent' | 'note'> = {
  task: {
    load: () => import('../../commands/task/task.ts'),
    summary: 'Add, change and take tasks by hand, beside the agents',
    details:
      'People and agents take from one queue: whoever claims a task first has it, in every worktree and process. claim makes a worktree on the branch of the task; commit there, then submit. What you submit is judged, validated, merged and reviewed like the work of agents. A claim by hand counts towards concurrency.development and its file locks hold; a run in progress neither takes nor frees it. Without an ID, the task is that of this worktree or the only one you hold; for claim, the next one that is ready. With --attempts, several agents work on it at once, each for itself: of those whose work keeps to the rules the one counts that fails the fewest diagnostics, then that passes its validator, then that changes the fewest lines; the others stay as rescues. With --stdin, claim reads ids, one a line, and answers each with one line, in order; it makes no worktrees and heeds no limit. With --json: add {session, tasks}; edit {task, changed}; next {task, why}, and exit 1 without one; claim {task, worktree, branch}, or with --stdin {id, claimed, reason} on each line; submit {task, violations, worktree}; release {task, worktree, rescue}; drop {task, blocked, worktree, rescue}; choose {task}; show {task, verdicts}.',
    operand: { usage: '[TITLE|ID]', kind: 'words' },
    subcommands: [
      { name: 'add', summary: 'add a task, or those of a file; makes a session where none is open' },
      { name: 'edit', summary: 'change what is asked, by options or in your editor' },
      { name: 'next', summary: 'name the task that is next by priority, needs, locks and the limit' },
      { name: 'claim', summary: 'take a task, and get a worktree for it' },
      { name: 'submit', summary: 'hand in the commits; the task is done and goes to validation' },
      {
        name: 'release',
        summary: 'give it back: commits are kept as a rescue, files stay; or have a failed task tried again',
      },
      { name: 'drop', summary: 'give it up; what needs it is blocked' },
      { name: 'choose', summary: 'of several attempts at once, make another one the work of the task' },
      { name: 'show', summary: 'show the whole story of a task' },
    ],
    needsSubcommand: true,
    options: {
      title: { kind: 'text', value: 'TEXT', summary: 'edit: another title' },
      description: { kind: 'text', value: 'TEXT', summary: 'add, edit: what to do (add: the title)' },
      locks: { kind: 'list', value: 'A,B', summary: 'add, edit: files, folders and globs it may change' },
      needs: { kind: 'list', value: 'ID,ID', summary: 'add, edit: tasks that come first' },
      group: { kind: 'text', value: 'NAME', summary: 'add, edit: cohesion group, landed together (main)' },
      priority: { kind: 'number', value: 'N', summary: 'add, edit: 1 goes first (5)' },
      attempts: {
        kind: 'text',
        value: 'N|A,B',
        summary:
          'add, edit: so many agents try it at once (1), or one with each adapter: claude,codex:gpt-5.5',
      },
      attempt: { kind: 'number', value: 'N', summary: 'choose: the attempt, as git flame show numbers them' },
      id: { kind: 'text', value: 'ID', summary: 'add: its id (the next free task-NNN)' },
      from: {
        kind: 'text',
        value: 'FILE',
        summary:
          'add, edit: read YAML or JSON; - is standard input; add: gh:123, gl:123, or the address of an issue',
      },
      role: { kind: 'text', value: 'ROLE', summary: 'next, claim: only tasks for this role' },
      stdin: { kind: 'flag', summary: 'claim: read ids from standard input' },
      worktree: { kind: 'no-flag', summary: 'claim: make no worktree' },
      commit: {
        kind: 'text',
        value: 'REV',
        summary: 'submit: this commit (where its worktree or branch is)',
      },
      notes: { kind: 'text', value: 'TEXT', summary: 'submit: what the next one should know' },
      reason: { kind: 'text', value: 'TEXT', summary: 'release, drop: why' },
      force: {
        kind: 'flag',
        summary: 'submit: leave uncommitted files out; release, drop: the claim of another person too',
      },
    },
    examples: [
      { command: "git flame task add 'Mend the login page' --locks src/login/", does: 'one more task' },
      {
        command: 'git flame task add --from gh:123 --locks src/',
        does: 'a task of an issue, by your gh; gl:123: by glab',
      },
      { command: 'git flame task claim', does: 'take the next one that is ready' },
      { command: 'git flame task submit', does: 'in its worktree: hand it in' },
      { command: 'git flame task claim --stdin --json <ids', does: 'claim many, one answer a line' },
    ],
  },
  agent: {
    load: () => import('../../commands/agent.ts'),
    summary: 'List, watch, hint and stop the agents that run now',
    details:
      'Works from any terminal of the machine the agents run on. AGENT is the id of an agent, or of the task it works on. attach only looks, and needs no name where one agent runs; below a call it says that it was blocked. hint tells it something with its next request to the model, and waits until the model answers that; where the agent ends before, that is said, and the command ends with 1. stop sends SIGTERM, and SIGKILL after five seconds; the worktree stays and the run continues. The task is tried again and no retry is used up; with --no-retry, it has failed. With --json: list prints a list of {id, role, task_id, session, adapter, pid, started_at, elapsed_ms, cost_usd, tokens, activity, last_activity_at, worktree}; attach {agent, line} on each line, as the agent printed it, and {agent, blocked: {tool, target, rule, details}}; hint {agent, task, hint, state}, where state is queued, seen or missed; stop {agent, task, stopped, retry}.',
    operand: { usage: '[AGENT] [TEXT]', kind: 'words' },
    subcommands: [
      { name: 'list', summary: 'who runs, on what, for how long and for how much' },
      { name: 'attach', summary: 'show what an agent says until it ends, or Ctrl-C' },
      { name: 'hint', summary: 'tell one something while it works' },
      { name: 'stop', summary: 'end one agent and all it started' },
    ],
    options: {
      retry: { kind: 'no-flag', summary: 'stop: the task has failed and is not tried again' },
      wait: { kind: 'no-flag', summary: 'hint: leave it, and do not wait until the model was told' },
    },
    examples: [
      { command: 'git flame agent list', does: 'who is at work' },
      { command: 'git flame agent attach worker-1a2b3c4d', does: 'read along' },
      {
        command: "git flame agent hint task-001 'the old parser stays: only add to it'",
        does: 'tell it that while it works',
      },
      { command: 'git flame agent stop task-001', does: 'end the agent of one task' },
    ],
  },
  note: {
    load: () => import('../../commands/note.ts'),
    summary: 'Leave notes for tasks that begin later, and see what others left',
    details:
      'A note is told to the workers of all tasks that begin after it, or of those you name; beside the notes of workers whose tasks they need, or that worked on the same paths. It is material for them, and changes neither task nor rules. Workers leave notes with their work: as lines that begin with NOTE: in their last message, scripts in the file $FLAME_NOTES names. A note has at most 1,500 characters; one that looks as if it held a credential is refused. What another clone left is shown with its clone, and told to agents here once you accept it. With --json: list {session, notes}; add {session, note, is_new}; drop and accept {session, notes}.',
    operand: { usage: '[TEXT|ID]', kind: 'words' },
    subcommands: [
      { name: 'list', summary: 'all notes of the session, the newest first' },
      { name: 'add', summary: 'leave a note' },
      { name: 'drop', summary: 'take notes away, by their ids; git log keeps them' },
      { name: 'accept', summary: 'have agents here told what another clone left' },
    ],
    options: {
      tasks: { kind: 'list', value: 'ID,ID', summary: 'add: only for these tasks' },
      paths: { kind: 'list', value: 'A,B', summary: 'add: only for tasks that may change these paths' },
      from: { kind: 'text', value: 'FILE', summary: 'add: read the text; - is standard input' },
    },
    examples: [
      {
        command: "git flame note add 'Dates are UTC everywhere' --paths src/api/",
        does: 'tell who works there',
      },
      { command: 'git flame note', does: 'what was left so far' },
    ],
  },
};
