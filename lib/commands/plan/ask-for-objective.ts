import { findConfigFile } from '../../config/find-config-file.ts';
import { commandStoppedError, FlameError } from '../../domain/flame-error.ts';
import { cycleNumber, deriveSessionTitle } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { GlobalOptions, Io } from '../../domain/view-models/command.ts';
import { askChoice, askLine, type TerminalAsking } from '../../ui/questions/ask-at-terminal.ts';
import { createPrompter } from '../../ui/terminal/prompter.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import type { Style } from '../../ui/text/style.ts';
import { wrapText } from '../../util/format-width.ts';
import { withStore } from '../context/open-notes-context.ts';
import { isSessionBusy } from '../context/session-lock.ts';

/**
 * Asks at a terminal what the person wants done. Resolves to the words of the command that does it; to null where the
 * person quits, to none where no session can be started: outside a repository, or before `git flame init`.
 */
export async function askForObjective(globals: GlobalOptions, io: Io): Promise<readonly string[] | null> {
  const args = { command: 'status', subcommand: null, options: {}, positionals: [], globals } as const;
  let words: readonly string[] | null = [];
  try {
    await withStore(args, io, async ({ repository, store, output, selected, configFile }) => {
      const root = repository.mainWorkTree;
      if (root === null || (await findConfigFile(root, configFile)) === null) return 0;
      const session = selected.pick(await store.snapshot());
      const isBusy = session !== null && isSessionBusy(repository.commonDir, session.id);
      const open = session === null || session.state === 'ended' ? null : { session, isBusy };
      words = await askWhatToStart(io, open, output.errorStyle);
      return 0;
    });
  } catch (error) {
    if (error instanceof FlameError && error.kind === 'environment') return [];
    throw error;
  }
  return words;
}

interface OpenSession {
  readonly session: Session;
  /** Another command works on it. */
  readonly isBusy: boolean;
}

const quitting = { key: 'q', label: '(q)uit' } as const;
const beginning = { key: 'n', label: '(n)ew session' } as const;
const continuing = { key: 'c', label: '(c)ontinue' } as const;

async function askWhatToStart(io: Io, open: OpenSession | null, style: Style): Promise<readonly string[] | null> {
  const stop = commandStoppedError();
  const print = (text: string): void => void io.stderr.write(`${wrapText(text, style.width).join('\n')}\n`);
  const asking: TerminalAsking = { prompter: createPrompter(io, style.width), print, onEnd: () => stop };
  try {
    if (open === null) return await askObjective(asking, ['run']);
    print(describeOpen(open));
    const key = await askChoice(asking, open.isBusy ? [beginning, quitting] : [continuing, beginning, quitting]);
    if (key === 'q') return null;
    return key === 'c' ? ['run'] : await askObjective(asking, ['run', '--new']);
  } catch (error) {
    // The input has ended: nothing was asked for.
    if (error === stop) return null;
    throw error;
  }
}

function describeOpen({ session, isBusy }: OpenSession): string {
  const { id, wave } = session;
  const state = isBusy
    ? 'is at work in another git flame command'
    : `waits in cycle ${cycleNumber(session)}, wave ${wave}`;
  return `Session ${id} ${state}: ${toPrintableLine(deriveSessionTitle(session))}`;
}

/** An empty answer quits. */
async function askObjective(asking: TerminalAsking, command: readonly string[]): Promise<readonly string[] | null> {
  asking.print(
    'A planner makes tasks of your objective. You see them before an agent works, and every change before it lands.',
  );
  const objective = (await askLine(asking, 'What do you want done (Enter: quit)? ')).trim();
  return objective === '' ? null : [...command, '--', objective];
}
