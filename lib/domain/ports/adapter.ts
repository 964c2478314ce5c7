import type { ModelApi } from '../config/known-clis.ts';
import { isModelAlias } from '../config/model-id.ts';
import type { Failure } from '../failure.ts';
import type { AgentActivity, AgentRequest } from './agent-port.ts';
import type { CallHookFacts, EndHookFacts } from './call-facts.ts';

/**
 * Knowledge about one agent CLI: facts and pure functions. It spawns nothing; the cell runs what it describes and feeds
 * it the output.
 */
export interface Adapter {
  readonly name: string;
  /** Program and leading arguments as configured (`adapters.<name>.command`) or by default; the cell finds it. */
  readonly command: readonly string[];
  /** Who commits: the agent (leftovers in scope are added), or the orchestrator (all it left is the result). */
  readonly commits: 'agent' | 'orchestrator';
  /**
   * The model APIs it can ask, through the gateway; an agent reaches the one of its model. None: its cell has no
   * network at all.
   */
  readonly apis: readonly ModelApi[];
  /** How it asks the watcher before each tool call; null: the sandbox and the post-check stand alone. */
  readonly calls: CallHookFacts | null;
  /** How it asks, before it ends, whether it must go on; null: it ends unasked. */
  readonly end: EndHookFacts | null;
  /** It has no tools that read: its agents look at files by commands, a validator too. */
  readonly readsByShell: boolean;
  /**
   * It runs commands in the shell of the user's account, or one that a call names, and ignores its environment: only a
   * cell with accounts of its own pins that to the bash the policy judges.
   */
  readonly takesAccountShell: boolean;
  /**
   * Names of files whose text it takes into its prompt from every folder, asking no hook and with any settings. An
   * agent's cell shows those of the repository empty.
   */
  readonly readsUnasked: readonly string[];
  /** A person can talk with it at the terminal. */
  readonly canTalk: boolean;
  /**
   * Why its agents can't lead, a clause; null: they can, since they call the tools of a server that is named to them
   * (`PathsInsideCell.toolsCommand`) and nothing else.
   */
  readonly cannotLead: string | null;
  readonly version: VersionFacts;
  /** A call of its program, once, in a cell, before agents start; null: none. */
  readonly preparation: PreparationFacts | null;
  /** Protections that are weaker than with others, or missing; a sentence each. */
  readonly weaker: readonly string[];
  /** The program to run in the cell. Throws nothing. */
  launch(request: AgentRequest, paths: PathsInsideCell): AgentLaunch;
  /** Reads stdout, one reader per run. */
  reader(request: AgentRequest): StreamReader;
  /** Reads how an interactive agent's transcript (`Launch.transcript`) ends. */
  readTranscript(transcript: string): TranscriptParts;
}

/** Whether it talks to a model. */
export function adapterTalksToModel({ apis }: Pick<Adapter, 'apis'>): boolean {
  return apis.length > 0;
}

/** The API a model is asked through, that which its name begins with before those of any name; null where the adapter has none for it. */
export function findModelApiOfAdapter({ apis }: Pick<Adapter, 'apis'>, model: string): ModelApi | null {
  return (
    apis
      .filter(
        ({ provider, named = '' }) =>
          // Other providers don't know claude's aliases of models.
          model.startsWith(named) && (provider === 'anthropic' || !isModelAlias(model)),
      )
      .sort(({ named: one = '' }, { named: other = '' }) => other.length - one.length)[0] ?? null
  );
}

export interface TranscriptParts {
  /** The plan as JSON out of its last words, not yet validated; null if there is none. */
  readonly answer: unknown;
  readonly text: string;
  readonly tokens: number;
}

interface VersionFacts {
  /** Added to the command. */
  readonly args: readonly string[];
  /** null: any version, also one that can't be read. */
  readonly minimum: string | null;
  /** `1.2.3` out of what the command printed; null if it's not this program. */
  parse(output: string): string | null;
  /** How to get it, one sentence. */
  readonly install: string;
}

interface PreparationFacts {
  /** Added to the command. */
  readonly args: readonly string[];
  /** The value of `PathsInsideCell.prepared`, from its output; null: the output lacks it. */
  read(output: string): string | null;
  /** What it read is the version that must have been unpacked; `PathsInsideCell.prepared` is then where. Absent: no such. */
  readonly unpacked?: UnpackedFilesFacts;
}

/** Files that a program unpacks beside itself at its first start, too large to do so in each cell. */
export interface UnpackedFilesFacts {
  /** Below the value of a variable; the first one that is set counts. */
  readonly places: readonly (readonly [variable: string, below: string])[];
  /** Below such a place; in it, `<kind of machine>/<version>` each. */
  readonly folder: string;
  /** A file in a version's folder that is there once all of it is. */
  readonly sign: string;
  /** Added to the command, has it unpack them for the person. */
  readonly unpack: readonly string[];
}

/** Below `PathsInsideCell.tmp`: what a worker writes there is read as its notes for later tasks when it has ended. */
export const agentNotesFileName = 'notes-for-later';

/** Paths as seen inside the cell. */
export interface PathsInsideCell {
  /** Program (absolute) and leading arguments: `adapter.command`, resolved. */
  readonly command: readonly string[];
  /** Value of PATH. */
  readonly searchPath: string;
  readonly home: string;
  readonly tmp: string;
  /** Read-only for the agent: its settings, schema, script. */
  readonly controlDir: string;
  /** One simple shell command, asked before each tool call; exit 2 blocks. It ends in 10 s, but for one that asks the person. Any other trouble is made to block too. */
  readonly hookCommand: string | null;
  /** A shell command asked when the agent means to end, which prints what EndHookFacts.renderContinue says, or nothing; null: none is. */
  readonly endCommand: string | null;
  /** A shell command run when the agent starts: leaves the sign that the settings were accepted. */
  readonly canaryCommand: string | null;
  /** Where the model API answers inside the cell; null: the CLI's own default. */
  readonly baseUrl: string | null;
  /** The key that the CLI shows there; no other is let through. */
  readonly apiKey: string;
  /** The program that leads to the tools of the orchestrator, to be started by the CLI; null: there are none. */
  readonly toolsCommand: readonly [string, ...string[]] | null;
  /** Result of the adapter's preparation; null where there is none. */
  readonly prepared: string | null;
  /** The bash its commands run in: one that takes address and key out of their environment. */
  readonly shell: string;
}

export interface AgentLaunch {
  readonly argv: readonly string[];
  /** Complete, but for git's own variables, which the cell adds. */
  readonly env: Readonly<Record<string, string>>;
  /** To be written before the start, relative to their folder, readable by the owner alone. */
  readonly files: readonly LaunchFile[];
  /** null: stdin is /dev/null (an open pipe would be waited for). Not used with an interactive agent. */
  readonly stdin: string | null;
  /** An interactive agent's transcript, relative to home; null where stdout is the answer. */
  readonly transcript: string | null;
  /** Folders elsewhere that it must be able to read, such as a plugin's. */
  readonly reads?: readonly string[];
}

export interface LaunchFile {
  readonly dir: 'control' | 'home';
  readonly path: string;
  readonly content: string;
}

export interface StreamReader {
  /** Parses a chunk; tokens and cost are totals so far, text '' means only they moved. */
  push(chunk: string): readonly AgentActivity[];
  /** Judges the run by all its signs together; call once, after the last chunk. */
  finish(end: AgentEnd): AgentResultParts;
}

/** Why the cell ended an agent early. */
export type StopReason =
  | 'budget'
  | 'session-budget'
  | 'no-price'
  | 'service-limit'
  | 'rejected'
  | 'stopped'
  | 'canary-failed'
  | 'unwatched-call';

export interface AgentEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stoppedBecause: StopReason | null;
  /** Its last part is enough. */
  readonly stderr: string;
  /** When it ended, in milliseconds since 1970: times of day in its messages are read by it. */
  readonly at: number;
}

export interface AgentResultParts {
  readonly failure: Failure | null;
  /** The structured answer, not yet validated; null if none. */
  readonly answer: unknown;
  readonly text: string;
  /** The CLI's own estimate; 0 where it was ended before it said. */
  readonly cost_usd: number;
  readonly tokens: number;
  /** Warnings for a person without a failure, such as a missing plugin. */
  readonly warnings: readonly string[];
}
