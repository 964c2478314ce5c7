import type { CommandTable } from '../command-spec.ts';

/** Commands that share, keep and remove what sessions made. In the order help shows them. */
export const retentionCommands = {
  session: {
    load: () => import('../../commands/session/session.ts'),
    summary: 'List sessions; show, rename or end one',
    details: [
      'Without a name, it is the current session, the one that status shows.',
      "end gives up what is left: the session's open tasks are not worked on and its waiting changesets don't land. Nothing is removed, and git flame resume continues it. A session can't end while one of its tasks is claimed.",
    ],
    operand: { usage: '[SESSION] [TITLE]', kind: 'words' },
    subcommands: [
      { name: 'list', summary: 'list sessions, newest first; * marks the current one' },
      { name: 'show', summary: 'show a session, as git flame show does' },
      { name: 'rename', summary: 'change the title of a session' },
      { name: 'end', summary: 'give up what is left of a session' },
    ],
    options: {
      all: { kind: 'flag', summary: 'list: archived ones too' },
      yes: { kind: 'flag', summary: 'end: without a question' },
    },
    examples: [
      { command: 'git flame session', does: 'list sessions' },
      { command: "git flame session rename ses-20260206-143022-a1b2 'Login'", does: 'change its title' },
      { command: 'git flame session end', does: 'give up what is left of the current one' },
    ],
  },
  sync: {
    load: () => import('../../commands/sync/sync.ts'),
    summary: 'Share the state with a remote: fetch, merge and push it',
    details: [
      "Fetches the remote's state, merges it with yours note by note, and pushes the result. Changes to different tasks merge without a question. Of two changes to the same task, fixed rules keep one, and the other stays in the task's history. Nothing is ever overwritten. The commits that tasks name are sent too; your own branches are not.",
      "If notes can't be read here, nothing of them is sent until they are repaired or you add --damaged. A note of a newer version replaces none of yours, and nothing is sent over it until you add --keep-mine.",
      "When another clone reports that something has ended (a task merged or dropped, a changeset landed, a session), it counts here once the base branch holds the work. Until then, --restore sends your own version again, and --accept accepts the other clone's.",
      'Without a name, the remote is that of your branch, else the only one, else origin.',
    ],
    operand: { usage: '[REMOTE]', kind: 'one' },
    options: {
      damaged: { kind: 'flag', summary: "also send notes that can't be read here" },
      keepMine: {
        kind: 'flag',
        summary: 'send your notes even if the remote has notes of a newer version',
      },
      restore: {
        kind: 'list',
        value: 'TASK,TASK',
        summary: 'send your own version again of tasks or sessions that other clones changed (all: every one)',
      },
      accept: {
        kind: 'list',
        value: 'TASK,TASK',
        summary: 'accept that these tasks or sessions have ended, as other clones report (all: every one)',
      },
    },
    examples: [
      { command: 'git flame sync', does: 'share with the remote of this branch' },
      { command: 'git flame sync upstream --dry-run', does: 'show what would be merged and sent' },
      { command: 'git flame sync --restore task-001', does: 'undo what other clones changed in a task' },
    ],
  },
  rescue: {
    load: () => import('../../commands/rescue.ts'),
    summary: 'List, show and restore work that was kept when its worktree was removed',
    details: [
      'Before a worktree is removed, what an agent left there is kept as a commit under refs/blueflame/rescue/. It is on no branch and is never merged automatically. A name is SESSION/TASK/N or an unambiguous part of it; the id of a task means its latest rescue.',
    ],
    operand: { usage: '[RESCUE]', kind: 'one' },
    subcommands: [
      { name: 'list', summary: 'list all rescues' },
      { name: 'show', summary: 'show a rescue: who left it, when and why, and its changes' },
      { name: 'restore', summary: 'write the files of a rescue into a new folder' },
      { name: 'drop', summary: 'delete a rescue; git gc removes its content later' },
    ],
    options: {
      to: { kind: 'text', value: 'DIR', summary: 'restore: the folder, new or empty (rescued-TASK-N)' },
      diff: { kind: 'flag', summary: 'show the diff too' },
    },
    examples: [
      { command: 'git flame rescue list', does: 'list all rescues' },
      { command: 'git flame rescue show task-001 --diff', does: 'show the latest rescue of a task' },
      { command: 'git flame rescue restore task-001 --to /tmp/task-001', does: 'restore its files' },
    ],
  },
  cleanup: {
    load: () => import('../../commands/cleanup.ts'),
    summary: 'Remove what ended sessions left: worktrees, merged branches, old logs',
    details: [
      'Shows first what it would do; --yes does it. Work that was not merged stays without --force. The content of a worktree is kept as a rescue first; a worktree that holds a secret stays.',
      'A rescue is removed when all of it is on the base branch. One that is older than retention.rescues (90 days) is listed, and removed only with --rescues: then its content is lost. git flame rescue drop removes a single one.',
      'Old sessions are archived (retention.sessions), and stay readable with --session ID.',
    ],
    options: {
      yes: { kind: 'flag', summary: 'remove what is listed' },
      force: { kind: 'flag', summary: 'also remove work that was not merged; it is kept as a rescue' },
      rescues: {
        kind: 'flag',
        summary: 'also remove rescues older than retention.rescues, even if their content is nowhere else',
      },
    },
    examples: [
      { command: 'git flame cleanup', does: 'show what would be removed' },
      { command: 'git flame cleanup --yes', does: 'remove it' },
    ],
  },
} satisfies Partial<CommandTable>;
