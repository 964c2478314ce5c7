import type { CommandTable } from '../command-spec.ts';

/** Commands about single tasks and agents. */
export const queueCommands: Pick<CommandTable, 'task' | 'agent' | 'note'> = {
  task: {
    load: () => import('../../commands/task/task.ts'),
    summary: 'Add, change and take tasks yourself, next to the agents',
    details: [
      'People and agents take tasks from one queue. The first to claim a task has it, in every worktree and process.',
      "claim makes a worktree on the task's branch. Commit there, then submit. Your work is checked, validated, merged and reviewed like the work of agents. Your claim counts towards concurrency.development and holds the task's locks; a run in progress neither takes it over nor frees it before limits.claim_timeout (never, by default).",
      'Without an ID, the task is the one of this worktree or the only one you hold; for claim, the next one that is ready.',
      'With --attempts, several agents work on the task at once, each separately. Among the attempts that keep to the rules, the best one has the fewest failing diagnostics, then a passing verdict, then the fewest changed lines. The others stay as rescues.',
      'With --stdin, claim reads ids, one a line, and answers each with one line, in order. It makes no worktrees and applies no limit.',
      'With --json: add {session, tasks}; edit {task, changed}; next {task, why}, and exit 1 without one; claim {task, worktree, branch}, or with --stdin {id, claimed, reason} on each line; submit {task, violations, worktree}; release {task, worktree, rescue}; drop {task, blocked, worktree, rescue}; choose {task}; show {task, verdicts}.',
    ],
    operand: { usage: '[TITLE|ID]', kind: 'words' },
    subcommands: [
      { name: 'add', summary: 'add a task, or those of a file; starts a session if none is open' },
      { name: 'edit', summary: 'change a task, by options or in your editor' },
      { name: 'next', summary: 'show the next task, by priority, dependencies, locks and the limit' },
      { name: 'claim', summary: 'take a task, and make a worktree for it' },
      { name: 'submit', summary: 'hand in the commits; the task is done, and validation is next' },
      {
        name: 'release',
        summary:
          'give a task back (its commits are kept as a rescue, its files stay), or give a failed one another attempt',
      },
      { name: 'drop', summary: 'give a task up; tasks that need it are blocked' },
      { name: 'choose', summary: "choose another of several attempts as the task's work" },
      { name: 'show', summary: 'show everything about a task' },
    ],
    needsSubcommand: true,
    options: {
      title: { kind: 'text', value: 'TEXT', summary: 'edit: another title' },
      description: { kind: 'text', value: 'TEXT', summary: 'add, edit: what to do (add: the title)' },
      locks: {
        kind: 'list',
        value: 'A,B',
        summary: 'add, edit: its locks: files, folders and globs it may change',
      },
      needs: { kind: 'list', value: 'ID,ID', summary: 'add, edit: tasks it depends on' },
      group: {
        kind: 'text',
        value: 'NAME',
        summary: 'add, edit: cohesion group, whose tasks land together (main)',
      },
      priority: { kind: 'number', value: 'N', summary: 'add, edit: 1 goes first (5)' },
      attempts: {
        kind: 'text',
        value: 'N|A,B',
        summary: 'add, edit: attempts at once (1), or one with each adapter: claude,codex:gpt-5.5',
      },
      attempt: {
        kind: 'number',
        value: 'N',
        summary: 'choose: the attempt, by its number in git flame show',
      },
      id: { kind: 'text', value: 'ID', summary: 'add: its id (the next free task-NNN)' },
      from: {
        kind: 'text',
        value: 'FILE',
        summary: 'add, edit: read YAML or JSON; - is standard input; add: gh:123, gl:123, or the address of an issue',
      },
      role: { kind: 'text', value: 'ROLE', summary: 'next, claim: only tasks for this role' },
      stdin: { kind: 'flag', summary: 'claim: read ids from standard input' },
      worktree: { kind: 'no-flag', summary: 'claim: make no worktree' },
      commit: {
        kind: 'text',
        value: 'REV',
        summary: 'submit: this commit (the one its worktree or branch is at)',
      },
      notes: { kind: 'text', value: 'TEXT', summary: 'submit: notes for later tasks' },
      reason: { kind: 'text', value: 'TEXT', summary: 'release, drop: why' },
      force: {
        kind: 'flag',
        summary: 'submit: leave uncommitted files out; release, drop: also when another person holds the claim',
      },
    },
    examples: [
      { command: "git flame task add 'Fix the login page' --locks src/login/", does: 'add a task' },
      {
        command: 'git flame task add --from gh:123 --locks src/',
        does: 'add a task from an issue, with your gh (gl:123: with glab)',
      },
      { command: 'git flame task claim', does: 'take the next one that is ready' },
      { command: 'git flame task submit', does: 'hand it in, from its worktree' },
      { command: 'git flame task claim --stdin --json <ids', does: 'claim many, one answer a line' },
    ],
  },
  agent: {
    load: () => import('../../commands/agent.ts'),
    summary: 'List, watch, message and stop running agents',
    details: [
      'Works from any terminal of the machine the agents run on. AGENT is the id of an agent, or of the task it works on.',
      'attach only shows the output, with the blocked calls. It needs no name if one agent runs.',
      "hint adds a message to the agent's next request to the model, and waits until the model answers that request. If the agent ends before, the command reports it and ends with 1.",
      'stop sends SIGTERM, and SIGKILL after five seconds. The worktree stays and the run continues. The task gets another attempt without using up a retry; with --no-retry, it fails.',
      'With --json: list prints a list of {id, role, task_id, session, adapter, pid, started_at, elapsed_ms, cost_usd, tokens, activity, last_activity_at, worktree}; attach {agent, line} on each line, as the agent printed it, and {agent, blocked: {tool, target, rule, details}}; hint {agent, task, hint, state}, where state is queued, seen or missed; stop {agent, task, stopped, retry}.',
    ],
    operand: { usage: '[AGENT] [TEXT]', kind: 'words' },
    subcommands: [
      { name: 'list', summary: 'list running agents with their task, time and cost' },
      { name: 'attach', summary: "show an agent's output until it ends, or Ctrl-C" },
      { name: 'hint', summary: 'message an agent while it works' },
      { name: 'stop', summary: 'end an agent and all it started' },
    ],
    options: {
      retry: { kind: 'no-flag', summary: 'stop: fail the task, without another attempt' },
      wait: { kind: 'no-flag', summary: 'hint: leave it, and do not wait until the model received it' },
    },
    examples: [
      { command: 'git flame agent list', does: 'list running agents' },
      { command: 'git flame agent attach worker-1a2b3c4d', does: 'follow its output' },
      {
        command: "git flame agent hint task-001 'the old parser stays: only add to it'",
        does: 'message it while it works',
      },
      { command: 'git flame agent stop task-001', does: 'end the agent of one task' },
    ],
  },
  note: {
    load: () => import('../../commands/note.ts'),
    summary: 'Leave notes for later tasks, and list those left by others',
    details: [
      'Workers of all tasks that begin after a note receive it, or only those of the tasks you name. They also receive the notes of workers whose tasks they need, or that worked on the same paths. A note is material for them, and changes neither task nor rules.',
      'Workers leave notes with their work: as lines that begin with NOTE: in their last message, scripts in the file $FLAME_NOTES names.',
      'A note has at most 1,500 characters. One that seems to hold a credential is refused. A note from another clone is shown with its clone; agents here receive it once you accept it.',
      'With --json: list {session, notes}; add {session, note, is_new}; drop and accept {session, notes}.',
    ],
    operand: { usage: '[TEXT|ID]', kind: 'words' },
    subcommands: [
      { name: 'list', summary: "list the session's notes, newest first" },
      { name: 'add', summary: 'leave a note' },
      { name: 'drop', summary: 'remove notes, by their ids; git log keeps them' },
      { name: 'accept', summary: 'let agents here receive a note of another clone' },
    ],
    options: {
      tasks: { kind: 'list', value: 'ID,ID', summary: 'add: only for these tasks' },
      paths: { kind: 'list', value: 'A,B', summary: 'add: only for tasks with locks on these paths' },
      from: { kind: 'text', value: 'FILE', summary: 'add: read the text; - is standard input' },
    },
    examples: [
      {
        command: "git flame note add 'Dates are UTC everywhere' --paths src/api/",
        does: 'leave a note for who works there',
      },
      { command: 'git flame note', does: 'list the notes' },
    ],
  },
};
