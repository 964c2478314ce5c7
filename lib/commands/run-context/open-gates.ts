import { mkdirSync, readlinkSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { readPlanFile, renderPlanYaml } from '../../config/plan-file.ts';
import { readDecisionsFile } from '../../config/read-decisions-file.ts';
import type { ParsedDecisionsFile } from '../../domain/config/decisions-file-schema.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Gates } from '../../domain/ports/gates.ts';
import { answeringPlaceWords } from '../../domain/questions/question-data.ts';
import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import type { InputStream, Io } from '../../domain/view-models/command.ts';
import type { MachinePort } from '../../engine/run-context.ts';
import { runLifecycleScript } from '../../engine/run-script.ts';
import { readGitPreference } from '../../git/process/run-git.ts';
import type { LiveView } from '../../ui/live/live-view.ts';
import { createGates } from '../../ui/questions/create-gates.ts';
import type { QuestionQueue } from '../../ui/questions/question-queue.ts';
import { hasTerminal } from '../../ui/questions/terminal-gates.ts';
import type { UnappliedAnswerStore } from '../../ui/questions/unapplied-answers.ts';
import { askOneAtATime, type GateAnnouncement, wrapGates } from '../../ui/questions/wrap-gates.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { cloneStateDir } from '../../util/user-folders.ts';
import { describeFileError, replaceFile } from '../../util/write-files.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { requireTypedByPerson } from '../context/require-typed-by-person.ts';
import type { ReviewPageOpener } from './review-page-opener.ts';
import type { CurrentConfig } from './run-config.ts';

interface GateParts {
  readonly reading: ReadContext;
  readonly root: string;
  readonly current: CurrentConfig;
  readonly machine: MachinePort;
  readonly page: ReviewPageOpener;
  readonly queue: QuestionQueue;
  /** Lets boards of other processes in. */
  readonly listen: () => Promise<void>;
  /** Leaves the terminal to a question. */
  readonly live: LiveView | null;
}

/**
 * The gates of a command: --decisions-file first, then the terminal, else an error. Questions come one at a
 * time.
 */
export async function openGates(
  io: Io,
  { reading, root, current, machine, page, queue, listen, live }: GateParts,
): Promise<Gates> {
  const { decisionsFile: file, hints } = reading.commandLine;
  const decisions = file === null ? null : await readDecisions(file);
  const context = { cwd: root, env: io.env };
  const place = async (): Promise<Place> => {
    const found = reading.selected.pick(await reading.store.snapshot());
    const title = found === null ? '' : deriveSessionTitle(found);
    return { session: found?.id ?? null, decidedAt: found?.gates.at(-1)?.at ?? '', title };
  };
  const gates = createGates(io, {
    decisions,
    person: await reading.git.identity(),
    resume: hints.continueCommand,
    reviewPage: page,
    queue: { queue, isWanted: () => reading.commandLine.page.board !== null, listen, place },
    onElsewhere: (about, answer, where) => {
      const message = `Decided ${answeringPlaceWords[where]}: ${about}, ${answer.replace(/\.$/, '')}.`;
      reading.output.events.emit({ event: 'notice', level: 'info', message });
      // A person who is asked at the terminal sees no line of JSON.
      if (reading.output.isJson && hasTerminal(io)) io.stderr.write(`${message}\n`);
    },
    style: reading.output.errorStyle,
    pager: io.stdin.isTTY === true ? await readGitPreference(context, ['var', 'GIT_PAGER']) : '',
    editor: io.stdin.isTTY === true ? await readGitPreference(context, ['var', 'GIT_EDITOR']) : '',
    ...(live === null ? {} : { lendTerminal: (withdrawn) => live.lendToQuestion(withdrawn) }),
    parsePlan: (text) => readPlanFile(text, 'plan.yml'),
    formatPlan: renderPlanYaml,
    onChangesetAsked: ({ session, changeset }) => reading.shown.recordSeen(session.id, [changeset]),
    onWaiting: async (facts, over) => {
      const context = { config: current.loaded.config, machine, root, events: reading.output.events };
      const { session, title } = await place();
      const announcement = { session, ...facts, message: waitingMessage(facts, title), tty: terminalOf(io) };
      // A terminal that hangs up ends the input as well: no person was reached, and the run ends anyway.
      const ended = io.signal === undefined ? over : AbortSignal.any([over, io.signal]);
      await runLifecycleScript(context, 'on_waiting', announcement, ended);
    },
    readFile: (path) => readFileNamedByPerson(resolve(file === null ? root : dirname(file), path)),
  });
  // Also for answers that approve nothing: agents get the text of a rejection as the person's.
  const answered = wrapGates(gates, (ask) => async (question) => {
    const answer = await ask(question);
    requireTypedByPerson('How a question is answered', reading.git.repository, io);
    return answer;
  });
  return askOneAtATime(answered);
}

interface Place {
  readonly session: SessionId | null;
  readonly decidedAt: string;
  readonly title: string;
}

/** A file the person named; a FlameError `no-such-file` when it can't be read. */
export async function readFileNamedByPerson(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new FlameError({
      kind: 'usage',
      code: 'no-such-file',
      message: `${path} can't be read: ${describeFileError(cause)}.`,
      hints: [`ls ${shellQuote(dirname(path))}`],
      cause,
    });
  });
}

async function readDecisions(file: string): Promise<ParsedDecisionsFile> {
  return readDecisionsFile(await readFileNamedByPerson(file), file);
}

/** Renders what waits as a notification: one line, without control characters. */
function waitingMessage({ gate, task, changeset }: GateAnnouncement, title: string): string {
  const what = subjects[gate](task ?? changeset ?? '');
  return toPrintableLine(`${what} waits for you${title === '' ? '' : `: ${title}`}`).slice(0, 300);
}

const subjects: Readonly<Record<GateAnnouncement['gate'], (name: string) => string>> = {
  plan: () => 'The plan',
  validation: (task) => `${task}, which failed its validation,`,
  validator_failed: (task) => `${task}, whose validator failed,`,
  changesets: (group) => `Changeset ${group}`,
  session: () => 'What follows this cycle',
  budget: () => 'The spent budget',
  question: (task) => (task === '' ? 'A question of an agent' : `A question about ${task}`),
};

/** The device of the terminal that questions are asked at, for a bell; '' where there is none, or it can't be known. */
function terminalOf({ stderr }: Pick<Io, 'stderr'>): string {
  if (stderr !== process.stderr || stderr.isTTY !== true) return '';
  try {
    return readlinkSync('/proc/self/fd/2');
  } catch {
    return '';
  }
}

/** Everything a stream holds, as text. */
export async function readStreamAsText(stream: InputStream): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return text;
}

const keptAnswerSchema = z.strictObject({
  print: z.string(),
  answer: z.unknown(),
  where: z.enum(['board', 'command']),
});

interface AnswersPlace {
  readonly commonDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** In the user's own state, beside what was decided in this clone: no agent and no sync can write there. */
export function openUnappliedAnswerStore({ commonDir, env }: AnswersPlace): UnappliedAnswerStore {
  const fileOf = (session: SessionId): string => join(cloneStateDir(env, commonDir), 'answers', `${session}.json`);
  return {
    read: (session) => {
      try {
        return keptAnswerSchema.parse(JSON.parse(readTextOrEmpty(fileOf(session))));
      } catch {
        return null;
      }
    },
    write: (session, kept) => {
      try {
        const file = fileOf(session);
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        replaceFile(file, JSON.stringify(kept), 0o600);
      } catch {
        // The disk is full: the answer counts all the same.
      }
    },
    clear: (session) => rmSync(fileOf(session), { force: true }),
  };
}
