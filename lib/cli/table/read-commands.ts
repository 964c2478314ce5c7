import type { CommandTable } from '../command-spec.ts';

/** Commands that only read. In the order help shows them. */
export const readCommands = {
  status: {
    load: () => import('../../commands/status/status.ts'),
    summary: 'Show the session, its tasks, agents, changesets and cost',
    details: [
      'It only reads. It shows which tasks will conflict, judged by the commits so far: conflicts that a run has found already, and new ones, searched for up to a second. With --json, the shape is stable.',
      '--all works in any folder. It shows the open sessions of all your repositories on this machine: what waits for you, since when, and the command for it, the oldest first. It runs nothing of those repositories.',
    ],
    options: { all: { kind: 'flag', summary: 'show the open sessions of all repositories on this machine' } },
    examples: [
      { command: 'git flame status', does: 'show the current session' },
      { command: 'git flame status --all', does: 'show what waits for you in every repository' },
      { command: 'git flame status --json', does: 'print JSON for scripts' },
    ],
  },
  board: {
    load: () => import('../../commands/board/board.ts'),
    summary: 'Show a session on a page: plan, agents, checks, and the questions for you',
    details: [
      "Serves a page on this machine alone, until Ctrl-C. The page shows how far each task is and its worker's prompt, what agents print and which of their calls were blocked, changesets and the log. When a run asks something, at its terminal or on its own board, you can answer it here too. Anyone who has the address can decide in your place.",
      'To see it on a phone, point a tunnel of your own to the port, and name its public address with --address: the page answers to no other name. An IP address of this machine serves the page there instead, unencrypted, with a warning.',
    ],
    options: {
      port: { kind: 'number', value: 'N', summary: 'serve it on this port (a free one)' },
      address: {
        kind: 'text',
        value: 'ADDRESS',
        summary:
          'the public address of your own tunnel to it, as https://host:port, or the address of this machine to serve it on',
      },
      open: { kind: 'no-flag', summary: 'print the address of the page, and start no browser' },
    },
    examples: [
      { command: 'git flame board', does: 'show the current session in the browser' },
      {
        command: 'git flame board --no-open --port 7171 --address https://desk.example:8443',
        does: 'also reached through a tunnel of your own',
      },
    ],
  },
  answer: {
    load: () => import('../../commands/answer/answer.ts'),
    summary: 'Answer a question of a run from another terminal or a script',
    details: [
      'Without a name, it lists what the runs on this machine ask, with the facts and the commands that answer it. A run asks while it has a terminal or a board (git flame run --web --no-open). Terminal, board and review page show the answer at once.',
      "An answer to a question that was already decided is refused, with who decided and what. Agents and the models of chats can't answer.",
      'With --json: without an answer {gates: [{id, session, asked_at, asks, answers: [{answer, usage, means}]}]}, with one {gate, session, about, answer}, with --print {gate, text}.',
    ],
    operand: { usage: '[GATE] [ANSWER]', kind: 'words' },
    options: {
      message: { kind: 'text', value: 'MESSAGE', summary: 'approve: the message the changeset lands with' },
      tasks: { kind: 'list', value: 'ID,ID', summary: 'reject: send only these tasks back' },
      keepWork: {
        kind: 'flag',
        summary: 'reject, requeue: the next attempt starts from this work, not from the base',
      },
      comment: {
        kind: 'texts',
        value: "'PATH:LINE TEXT'",
        summary:
          'approve, reject: a comment on a line or on lines (PATH:3-5; PATH:-3 on the old side); may be given several times, and may hold a block of ```suggestion lines',
      },
      print: {
        kind: 'text',
        value: 'WHAT',
        choices: ['plan', 'diff', 'message'],
        summary: 'print the plan to edit, the diff, or the message the changeset lands with',
      },
    },
    examples: [
      { command: 'git flame answer', does: 'list the questions, and how to answer them' },
      { command: 'git flame answer gate-1a2b3c4d approve', does: 'approve' },
      {
        command: "git flame answer gate-1a2b3c4d reject 'The salt is constant.' --keep-work",
        does: 'send the changeset back with a reason',
      },
      {
        command: "git flame answer gate-1a2b3c4d reject 'See there.' --comment 'src/a.ts:12 This is never closed.'",
        does: 'send it back with a comment on a line',
      },
      {
        command: 'git flame answer gate-1a2b3c4d edit plan.yml',
        does: 'replace the plan with your own',
      },
    ],
  },
  machines: {
    load: () => import('../../commands/machines/machines.ts'),
    summary: 'Show which machines work on a shared session, and what each holds',
    details: [
      'It asks the remote and changes nothing there. Times of a machine are by its own clock. To lead a session that others may join: git flame run --remote. To join one: git flame work --join.',
      '--trust makes the verdicts of a machine count in this clone, for this session. You trust the key of that machine, so no other machine can act in its name. --distrust takes it back.',
      'Each machine has its own limits, and runs only the plan that its person agreed to.',
    ],
    operand: { usage: '[REMOTE]', kind: 'one' },
    options: {
      trust: {
        kind: 'text',
        value: 'NAME',
        summary: 'let the verdicts of this machine count in this clone',
      },
      distrust: { kind: 'text', value: 'NAME', summary: 'trust it no longer' },
    },
    examples: [
      { command: 'git flame machines', does: 'list the machines' },
      { command: 'git flame machines origin --json', does: 'print JSON for scripts' },
      { command: 'git flame machines --trust laptop/3f9a1c2b', does: 'let its verdicts count' },
    ],
  },
  show: {
    load: () => import('../../commands/show/show.ts'),
    summary: 'Show everything about a task, an agent, a changeset or a session',
    details: [
      'Shows what was asked; each attempt with its outcome, cost and time; the blocked calls and the rule that blocked each; verdicts with their evidence; commits; the worktree; and what to type next. Without a name, it shows the session. At a terminal, it opens in your pager, as with git.',
    ],
    operand: { usage: '[TASK|AGENT|CHANGESET|SESSION]', kind: 'one' },
    options: {
      diff: { kind: 'flag', summary: 'show the diff too' },
      interdiff: { kind: 'flag', summary: 'show what changed since you last saw it, or sent it back' },
      graph: { kind: 'flag', summary: 'draw the plan, with the state of each task' },
    },
    examples: [
      { command: 'git flame show task-001', does: 'show one task' },
      { command: 'git flame show auth --diff', does: 'show a changeset and its diff' },
      { command: 'git flame show auth --interdiff', does: 'show what changed in it since you rejected it' },
      { command: 'git flame show --graph', does: 'draw the plan with dependencies and progress' },
    ],
  },
  stats: {
    load: () => import('../../commands/stats/stats.ts'),
    summary: 'Show figures: health, times, queue, failures by rule, cost against estimate',
    details: [
      'Everything is computed from what the refs record; calls that the watcher blocked come from the audits on this machine. Times are exact to the second. Unusual sessions and tasks are named once five earlier sessions have ended.',
      'The formats are text; json, whose shape is stable; prometheus, for a textfile collector; html, one page with charts that needs no network.',
    ],
    options: {
      all: { kind: 'flag', summary: 'include all sessions, not only the current one' },
      format: {
        kind: 'text',
        value: 'FORMAT',
        choices: ['text', 'json', 'prometheus', 'html'],
        summary: 'text, json, prometheus or html (text)',
      },
      output: { kind: 'text', value: 'FILE', summary: 'write to this file, completely or not at all' },
    },
    examples: [
      { command: 'git flame stats', does: 'show figures about the current session' },
      {
        command: 'git flame stats --all --format html --output stats.html',
        does: 'write a page with charts',
      },
      {
        command: 'git flame stats --all --format prometheus --output /var/lib/node_exporter/git-flame.prom',
        does: 'write metrics for Prometheus',
      },
    ],
  },
  log: {
    load: () => import('../../commands/log.ts'),
    summary: 'List what happened, newest first',
    details: [
      'Shows when, what, by whom and why. Each entry is a commit on refs/blueflame/*, so plain git log shows the same. A name limits it to one task, agent, changeset or session. At a terminal, it opens in your pager, as with git.',
    ],
    operand: { usage: '[TASK|AGENT|CHANGESET|SESSION]', kind: 'one' },
    options: {
      maxCount: {
        kind: 'number',
        short: 'n',
        value: 'N',
        summary: 'show at most N entries, the latest (50)',
      },
      reverse: { kind: 'flag', summary: 'oldest first' },
    },
    examples: [
      { command: 'git flame log -n 20', does: 'list the latest twenty changes' },
      { command: 'git flame log task-001', does: 'list everything about one task' },
    ],
  },
} satisfies Partial<CommandTable>;
