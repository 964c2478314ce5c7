import type { CommandTable } from '../command-spec.ts';

/** Commands that share, keep and remove what sessions made. In the order help shows them. */
export const retentionCommands = {
  session: {
    load: () => import('../../commands/session/session.ts'),
    summary: 'List sessions, show, rename or end one',
    details:
      'Without a name the current session is meant, the one status shows. end gives up what is left: its open tasks are not worked on and its waiting changesets do not land. Nothing is removed, and git flame resume continues it. While a task of it is claimed, it cannot end.',
    operand: { usage: '[SESSION] [TITLE]', kind: 'words' },
    subcommands: [
      { name: 'list', summary: 'list sessions, the newest first; * marks the current one' },
      { name: 'show', summary: 'show one, as git flame show does' },
      { name: 'rename', summary: 'give one another title' },
      { name: 'end', summary: 'give up what is left of one' },
    ],
    options: {
      all: { kind: 'flag', summary: 'list: archived ones too' },
      yes: { kind: 'flag', summary: 'end: without a question' },
    },
    examples: [
      { command: 'git flame session', does: 'which sessions there are' },
      { command: "git flame session rename ses-20260206-143022-a1b2 'Login'", does: 'give one a title' },
      { command: 'git flame session end', does: 'give up what is left of the current one' },
    ],
  },
  sync: {
    load: () => import('../../commands/sync/sync.ts'),
    summary: 'Share the state with a remote: fetch, merge and push it',
    details:
      "Fetches the remote's state beside yours, merges both note by note, and pushes the result. Changes to different tasks merge without a question; of two changes to the same task, fixed rules keep one, and the other stays in the task's history. Nothing is ever overwritten. The commits that tasks name are sent along; your own branches are not. Nothing is sent of notes that can't be read here until they are repaired or you add --damaged. A note of a newer version replaces none of yours, and nothing is sent over it until you add --keep-mine. What another clone says has ended (a task that is merged or dropped, a changeset that has landed, a session) counts here once the base branch holds the work; until then, --restore brings back your own version and sends it, and --accept believes the other clone. Without a name, the remote is that of your branch, else the only one, else origin.",
    operand: { usage: '[REMOTE]', kind: 'one' },
    options: {
      damaged: { kind: 'flag', summary: "send also what can't be read here" },
      keepMine: {
        kind: 'flag',
        summary: 'send yours also where the remote has notes of a newer version',
      },
      restore: {
        kind: 'list',
        value: 'TASK,TASK',
        summary: 'send your own version again of tasks or sessions that others changed (all: of every one)',
      },
      accept: {
        kind: 'list',
        value: 'TASK,TASK',
        summary: 'believe what others say has ended: tasks or sessions (all: every one)',
      },
    },
    examples: [
      { command: 'git flame sync', does: 'share with the remote of this branch' },
      { command: 'git flame sync upstream --dry-run', does: 'show what would be merged and sent' },
      { command: 'git flame sync --restore task-001', does: 'undo what others made of a task' },
    ],
  },
  rescue: {
    load: () => import('../../commands/rescue.ts'),
    summary: 'List, show and get back work that was kept when its worktree was removed',
    details:
      'What an agent left is kept as a commit under refs/blueflame/rescue/ before its worktree goes; it is on no branch and is never merged by itself. A name is SESSION/TASK/N or a clear part of it; the name of a task means its latest one.',
    operand: { usage: '[RESCUE]', kind: 'one' },
    subcommands: [
      { name: 'list', summary: 'list everything that was kept' },
      { name: 'show', summary: 'show who left it, when and why, and what it changes' },
      { name: 'restore', summary: 'write its files into a new folder' },
      { name: 'drop', summary: 'forget it; git gc removes it in time' },
    ],
    options: {
      to: { kind: 'text', value: 'DIR', summary: 'restore: the folder, absent or empty (rescued-TASK-N)' },
      diff: { kind: 'flag', summary: 'show the diff too' },
    },
    examples: [
      { command: 'git flame rescue list', does: 'what there is' },
      { command: 'git flame rescue show task-001 --diff', does: 'the latest one of a task' },
      { command: 'git flame rescue restore task-001 --to /tmp/task-001', does: 'get its files' },
    ],
  },
  cleanup: {
    load: () => import('../../commands/cleanup.ts'),
    summary: 'Remove what ended sessions left: worktrees, merged branches, old logs',
    details:
      'Shows first what it would do; --yes does it. Work that was not merged stays without --force. Whatever is in a worktree is kept as a rescue first; a worktree that holds a secret stays. A rescue is removed when all of it is on the base branch; one that is older than retention.rescues (90 days) is listed, and is removed only with --rescues: then what is in it is lost. git flame rescue drop forgets one. Old sessions are archived (retention.sessions), and stay readable with --session ID.',
    options: {
      yes: { kind: 'flag', summary: 'do it' },
      force: { kind: 'flag', summary: 'remove work that was not merged too; it is kept as a rescue' },
      rescues: {
        kind: 'flag',
        summary: 'remove rescues that are nowhere else too, older than retention.rescues',
      },
    },
    examples: [
      { command: 'git flame cleanup', does: 'see what could go' },
      { command: 'git flame cleanup --yes', does: 'remove what is merged or empty' },
    ],
  },
} satisfies Partial<CommandTable>;
