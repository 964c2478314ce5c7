import type { Failure } from '../failure.ts';
import type { AgentActivity, AgentRequest } from './agent-port.ts';

/**
 * What the tool knows about one agent CLI: facts and pure functions. It spawns nothing; the cell runs
 * what it describes and feeds it the output.
 */
export interface Adapter {
  readonly name: string;
  /** Program and leading arguments as configured (`adapters.<name>.command`) or by default; the cell finds it. */
  readonly command: readonly string[];
  /** Who commits: the agent (leftovers in scope are added), or the orchestrator (all it left is the result). */
  readonly commits: 'agent' | 'orchestrator';
  /** Whether it talks to a model: through the gateway. Otherwise its cell has no network at all. */
  readonly needsModel: boolean;
  /** Whether it asks the watcher before each tool call; otherwise the sandbox and the post-check stand alone. */
  readonly hasHooks: boolean;
  readonly version: VersionFacts;
  /** What to run in the cell. Throws nothing. */
  launch(request: AgentRequest, paths: CellPaths): Launch;
  /** Reads stdout, one reader per run. */
  reader(request: AgentRequest): StreamReader;
  /** What an interactive agent's transcript (`Launch.transcript`) ends with. */
  readTranscript(transcript: string): TranscriptParts;
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

/** Paths as seen inside the cell. */
export interface CellPaths {
  /** Program (absolute) and leading arguments: `adapter.command`, resolved. */
  readonly command: readonly string[];
  /** Value of PATH. */
  readonly searchPath: string;
  readonly home: string;
  readonly tmp: string;
  /** Read-only for the agent: its settings, schema, script. */
  readonly controlDir: string;
  /** One simple shell command, asked before each tool call; exit 2 blocks, and it ends in 10 s. Any other trouble is made to block too. */
  readonly hookCommand: string | null;
  /** A shell command run when the agent starts: leaves the sign that the settings were accepted. */
  readonly canaryCommand: string | null;
  /** Where the model API answers inside the cell; null: the CLI's own default. */
  readonly baseUrl: string | null;
  /** What the CLI shows there for a key; nothing else is let through. */
  readonly apiKey: string;
  /** The bash its commands run in: one that takes address and key out of their environment. */
  readonly shell: string;
}

export interface Launch {
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
  /** What the chunk shows; tokens and cost are totals so far, text '' means only they moved. */
  push(chunk: string): readonly AgentActivity[];
  /** Judges the run by all its signs together; call once, after the last chunk. */
  finish(end: AgentEnd): AgentResultParts;
}

/** Why the cell ended an agent early. */
export type StopReason =
  | 'budget'
  | 'session-budget'
  | 'no-price'
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
  /** What a person should know although it's no failure, such as a missing plugin. */
  readonly warnings: readonly string[];
}
