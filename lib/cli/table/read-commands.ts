import type { CommandTable } from '../command-spec.ts';

/** Commands that only read. In the order help shows them. */
export const readCommands = {
  status: {
    load: () => import('../../commands/status/status.ts'),
    summary: 'Show the session, its tasks, agents, changesets and cost',
    details:
      'Only reads. Says which tasks will conflict, judged by what is committed so far: it shows what a run has tried already, and tries what is new for up to a second. With --json, the shape is stable.',
    options: {},
    examples: [
      { command: 'git flame status', does: 'where the session stands' },
      { command: 'git flame status --json', does: 'the same for scripts' },
    ],
  },
  board: {
    load: () => import('../../commands/board/board.ts'),
    summary: 'Show a session on a page: plan, agents, checks, and what waits for you',
    details:
      'Serves a page on this machine alone, until Ctrl-C: how far each task is and what its worker is told, what agents say and which of their calls were blocked, changesets and the log. While a run asks something, at its terminal or on its own board, it can be answered here too. Whoever has its address has your say. To see it on a phone, lead a tunnel of your own to the port, and name with --address where it begins: the page answers to no other name. An IP address of this machine serves it there instead, unencrypted, with a warning.',
    options: {
      port: { kind: 'number', value: 'N', summary: 'serve it on this port (one that is free)' },
      address: {
        kind: 'text',
        value: 'ADDRESS',
        summary:
          'where your own tunnel leads to it, as https://host:port, or the address of this machine to serve on',
      },
      open: { kind: 'no-flag', summary: 'print the address of the page, and start no browser' },
    },
    examples: [
      { command: 'git flame board', does: 'the current session in the browser' },
      {
        command: 'git flame board --no-open --port 7171 --address https://desk.example:8443',
        does: 'reached through a tunnel of your own, too',
      },
    ],
  },
  answer: {
    load: () => import('../../commands/answer/answer.ts'),
    summary: 'Answer what a run asks, from another terminal or a script',
    details:
      "Without a name, it lists what the runs of this machine ask, with what has to be known and the commands that answer it. A run asks as long as it has a terminal or a board (git flame run --web --no-open); terminal, board and review page hear of the answer at once. What was decided meanwhile is refused, with who decided what. Agents and the models of chats can't answer. With --json: without an answer {gates: [{id, session, asked_at, asks, answers: [{answer, usage, means}]}]}, with one {gate, session, about, answer}, with --print {gate, text}.",
    operand: { usage: '[GATE] [ANSWER]', kind: 'words' },
    options: {
      message: { kind: 'text', value: 'MESSAGE', summary: 'approve: what the changeset lands with' },
      tasks: { kind: 'list', value: 'ID,ID', summary: 'reject: only these tasks go back' },
      keepWork: {
        kind: 'flag',
        summary: 'reject, requeue: the next attempt starts from this work, not from the base',
      },
      comment: {
        kind: 'texts',
        value: "'PATH:LINE TEXT'",
        summary:
          'approve, reject: a remark on a line, or on lines (PATH:3-5; PATH:-3 of the old side); may be given several times, and may hold a block of ```suggestion lines',
      },
      print: {
        kind: 'text',
        value: 'WHAT',
        choices: ['plan', 'diff', 'message'],
        summary: 'print the plan to edit, the diff, or the message it lands with',
      },
    },
    examples: [
      { command: 'git flame answer', does: 'what is asked, and how it is answered' },
      { command: 'git flame answer gate-1a2b3c4d approve', does: 'approve it' },
      {
        command: "git flame answer gate-1a2b3c4d reject 'The salt is constant.' --keep-work",
        does: 'send it back with the reason',
      },
      {
        command:
          "git flame answer gate-1a2b3c4d reject 'See there.' --comment 'src/a.ts:12 This is never closed.'",
        does: 'with a remark on a line',
      },
      {
        command: 'git flame answer gate-1a2b3c4d edit plan.yml',
        does: 'put a plan of your own in the place of the one that is asked about',
      },
    ],
  },
  machines: {
    load: () => import('../../commands/machines/machines.ts'),
    summary: 'Show which machines work on a shared session, and what each holds',
    details:
      'Asks the remote and changes nothing there. Times of a machine are by its own clock. To lead a session that others may join: git flame run --remote; to join: git flame work --join. With --trust, what a machine says in that role counts in this clone, for this session: its verdicts (validate, the default), the changesets it builds (merge), what its person decides (review). It is the key of that machine which is trusted, so nobody else can speak in its name; --distrust takes it back. Each machine has its own limits and runs only the plan its person agreed to.',
    operand: { usage: '[REMOTE]', kind: 'one' },
    options: {
      trust: { kind: 'text', value: 'NAME', summary: 'let what this machine says count where you lead' },
      distrust: { kind: 'text', value: 'NAME', summary: 'take that back' },
      role: { kind: 'list', value: 'A,B', summary: 'with both: validate, merge, review (validate)' },
    },
    examples: [
      { command: 'git flame machines', does: 'who is there' },
      { command: 'git flame machines origin --json', does: 'the same for scripts' },
      { command: 'git flame machines --trust laptop/3f9a1c2b', does: 'let its verdicts count' },
    ],
  },
  show: {
    load: () => import('../../commands/show/show.ts'),
    summary: 'Show the whole story of a task, an agent, a changeset or a session',
    details:
      'Shows what was asked, each attempt with how it ended, what it cost and how long it took, the calls that were blocked and by which rule, verdicts with their evidence, commits, where its worktree is, and what to type next. Without a name, it shows the session. At a terminal, it opens in your pager, as with git.',
    operand: { usage: '[TASK|AGENT|CHANGESET|SESSION]', kind: 'one' },
    options: {
      diff: { kind: 'flag', summary: 'show the diff too' },
      interdiff: { kind: 'flag', summary: 'show what changed since you saw it last, or sent it back' },
      graph: { kind: 'flag', summary: 'draw the plan, and how far each task is' },
      format: {
        kind: 'text',
        value: 'FORMAT',
        choices: ['text', 'mermaid', 'dot'],
        summary: 'the graph as text, mermaid or dot (text)',
      },
    },
    examples: [
      { command: 'git flame show task-001', does: 'one task' },
      { command: 'git flame show auth --diff', does: 'a changeset and its diff' },
      { command: 'git flame show auth --interdiff', does: 'what changed in it since you rejected it' },
      { command: 'git flame show --graph', does: 'the plan with its dependencies, and its progress' },
    ],
  },
  stats: {
    load: () => import('../../commands/stats/stats.ts'),
    summary: 'Show figures: health, times, queue, failures by rule, cost against estimate',
    details:
      'Everything is computed from what the refs record; calls that the watcher blocked come from the audits on this machine. Times are exact to the second. Sessions and tasks that are out of the ordinary are named once five earlier sessions have ended. The formats are text; json, whose shape is stable; prometheus, for a textfile collector; html, one page with charts that needs no network.',
    options: {
      all: { kind: 'flag', summary: 'all sessions, not only the current one' },
      format: {
        kind: 'text',
        value: 'FORMAT',
        choices: ['text', 'json', 'prometheus', 'html'],
        summary: 'text, json, prometheus or html (text)',
      },
      output: { kind: 'text', value: 'FILE', summary: 'write to this file, whole or not at all' },
    },
    examples: [
      { command: 'git flame stats', does: 'figures about the current session' },
      { command: 'git flame stats --all --format html --output stats.html', does: 'a page with charts' },
      {
        command: 'git flame stats --all --format prometheus --output /var/lib/node_exporter/git-flame.prom',
        does: 'metrics for Prometheus',
      },
    ],
  },
  log: {
    load: () => import('../../commands/log.ts'),
    summary: 'List what happened, newest first',
    details:
      'Shows when, what, by whom and why. Each entry is a commit on refs/blueflame/*, so plain git log shows the same. A name narrows it down to what concerns one task, agent, changeset or session. At a terminal, it opens in your pager, as with git.',
    operand: { usage: '[TASK|AGENT|CHANGESET|SESSION]', kind: 'one' },
    options: {
      maxCount: { kind: 'number', short: 'n', value: 'N', summary: 'at most N entries, the latest (50)' },
      reverse: { kind: 'flag', summary: 'oldest first' },
    },
    examples: [
      { command: 'git flame log -n 20', does: 'the latest twenty changes' },
      { command: 'git flame log task-001', does: 'everything about one task' },
    ],
  },
} satisfies Partial<CommandTable>;
