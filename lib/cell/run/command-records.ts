import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { AgentRunner, CommandRun } from '../../domain/ports/agent-port.ts';
import { diagnosticRunSchema } from '../../domain/state/verdict.ts';
import { parseJson } from '../../util/json.ts';
import { parseIdentity, processState } from '../../util/process-identity.ts';
import { listNamesIn, readTextOrEmpty } from '../../util/read-file.ts';
import { replaceFile } from '../../util/write-files.ts';
import { agentLogsRoot, type RunFolder, runFolderOwnerFile, runFoldersRoot } from '../run-folder.ts';

type Request = Parameters<AgentRunner['runCommand']>[0];

const [noteFile, outputFile] = ['command.json', 'output'];
const writeEveryMs = 300;

const endSchema = diagnosticRunSchema.pick({ command: true, exit_code: true, timed_out: true, duration_ms: true });
const schema = z.object({
  command: z.string(),
  phase: z.enum(['setup', 'diagnostics']),
  started_at: z.string(),
  session: z.string().nullable(),
  about: z.string(),
  before: z.array(endSchema),
});

/** A diagnostic or setup command that runs, in whichever process of this machine. */
export interface RunningCommand extends Readonly<z.infer<typeof schema>> {
  readonly id: string;
  /** The end of what it has printed. */
  readonly output: string;
}

/** Notes in a command's run folder what runs there, for other processes. Returns a function that notes new output. */
export function recordRunningCommand({ root }: RunFolder, request: Request, output: () => string): () => void {
  const { command, phase, about } = request;
  const note: z.infer<typeof schema> = {
    command,
    phase,
    started_at: new Date().toISOString(),
    session: about?.session ?? null,
    about: about?.words ?? '',
    before: (about?.before ?? []).map((run) => endSchema.parse(run)),
  };
  replaceFile(join(root, noteFile), JSON.stringify(note), 0o600);
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      try {
        writeFileSync(join(root, outputFile), output(), { mode: 0o600 });
      } catch {
        // It has ended meanwhile, and its folder is gone.
      }
    }, writeEveryMs).unref();
  };
}

const endedName = 'checks';
const mostEndedBytes = 64 * 1024;
const endedSchema = schema
  .pick({ command: true, phase: true, session: true, about: true })
  .extend({ id: z.string(), ended_at: z.string(), run: endSchema });

/** A command that has ended, and what it came to. */
export type EndedCommand = Readonly<z.infer<typeof endedSchema>>;

/** Notes beside the logs what a command came to; the oldest are forgotten. */
export function recordEndedCommand(
  commonDir: string,
  id: string,
  { command, phase, about }: Request,
  { exitCode, timedOut, duration_ms }: Pick<CommandRun, 'exitCode' | 'timedOut' | 'duration_ms'>,
): void {
  const file = endedFile(commonDir);
  const ended: EndedCommand = {
    id,
    command,
    phase,
    session: about?.session ?? null,
    about: about?.words ?? '',
    ended_at: new Date().toISOString(),
    run: { command, exit_code: exitCode, timed_out: timedOut, duration_ms },
  };
  try {
    const text = `${readTextOrEmpty(file).slice(-mostEndedBytes)}${JSON.stringify(ended)}\n`;
    replaceFile(file, text, 0o600);
  } catch {
    // The disk is full: it counts all the same.
  }
}

/** The latest first. */
export function readEndedCommands(commonDir: string): readonly EndedCommand[] {
  return readTextOrEmpty(endedFile(commonDir))
    .split('\n')
    .flatMap((line) => endedSchema.safeParse(parseJson(line)).data ?? [])
    .reverse();
}

function endedFile(commonDir: string): string {
  return join(agentLogsRoot(commonDir), `${endedName}.ended.jsonl`);
}

/** Those whose process still lives, in the order in which they began. */
export function readRunningCommands(commonDir: string): readonly RunningCommand[] {
  const root = runFoldersRoot(commonDir);
  return listNamesIn(root)
    .filter((name) => /^command-[0-9a-f]+$/.test(name))
    .flatMap((name) => {
      const owner = parseIdentity(readTextOrEmpty(join(root, name, runFolderOwnerFile)));
      if (owner === null || !['own', 'alive'].includes(processState(owner))) return [];
      const noted = schema.safeParse(parseJson(readTextOrEmpty(join(root, name, noteFile)))).data;
      return noted === undefined ? [] : [{ ...noted, id: name, output: readTextOrEmpty(join(root, name, outputFile)) }];
    })
    .sort((one, other) => one.started_at.localeCompare(other.started_at));
}
