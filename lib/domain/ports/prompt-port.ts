import type { AgentPolicy } from '../policy.ts';
import type { Task } from '../state/task.ts';
import type { DiagnosticRun } from '../state/verdict.ts';
import type { AuditSummary } from './agent-port.ts';

/** What an agent reads. The system part holds no outside text; the prompt holds it as marked data. */
export interface Prompts {
  readonly system: string;
  readonly prompt: string;
}

/** Writes the prompts of each role from its template. */
export interface PromptRenderer {
  /** Throws FlameError `bad-template` when a template of the repository's own can't be rendered. */
  render(data: PromptData, projectFiles?: readonly ProjectFile[]): Prompts;
  /** What a worker is told that means to end. Throws as render does. */
  lastWord(found: LastWordData): string;
}

/** What would become of a worker's work as it stands. */
export interface LastWordData {
  /** What the post-check would refuse, one each. */
  readonly objections: readonly string[];
  /** Diagnostics that fail on it, each with the end of its output. */
  readonly failing: readonly string[];
}

/** What a repository's own file says to agents, such as AGENTS.md. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

export type PromptData = PlannerData | WorkerData | ValidatorData | MergerData | QueenData;

export interface PlannerData {
  readonly role: 'planner';
  readonly isInteractive: boolean;
  readonly objective: string;
  /** What the repository is: its files in short, the head of its README. */
  readonly files: string;
  readonly readme: string;
  /** What earlier sessions left, already bounded; '' if nothing. */
  readonly memory: string;
  /** Why earlier plans of this session were sent back, oldest first. */
  readonly notes: readonly string[];
  /** The plan that was sent back last, a task a line; empty: none was. */
  readonly sentBack: readonly string[];
  /** The tasks there are by now, and how each stands. */
  readonly tasks: readonly string[];
  /** What was wrong with the plan just given; empty: nothing. */
  readonly problems: readonly string[];
}

/** What a model that leads begins with; everything else it asks for. */
export interface QueenData {
  readonly role: 'queen';
  readonly objective: string;
  readonly files: string;
  readonly readme: string;
  readonly memory: string;
  /** Why earlier plans were sent back, oldest first. */
  readonly notes: readonly string[];
  /** The tasks there are by now, and how each stands: of an earlier cycle, or of one who led before. */
  readonly tasks: readonly string[];
  readonly maxParallel: number;
}

interface WorkerData {
  readonly role: 'worker';
  readonly task: PromptTask;
  readonly policy: AgentPolicy;
  /** What the latest attempt that was not taken had changed, as a diff; absent where there was none. */
  readonly earlier?: string;
  /** Whether the worktree holds that already: a person had it kept. */
  readonly isKept?: boolean;
  /** Tasks whose work the worktree holds although it has not landed: what they wrote is theirs. */
  readonly below?: readonly PromptTask[];
  /** The tool by which it asks the person; '', or absent: it can't. */
  readonly askTool?: string;
  /** What was left for it in words. */
  readonly left?: NotesInWords;
}

/** Bounded; see notesFor. */
export interface NotesInWords {
  readonly words: readonly { readonly from: string; readonly text: string }[];
  readonly leftOut: number;
}

interface ValidatorData {
  readonly role: 'validator';
  readonly task: PromptTask;
  readonly policy: AgentPolicy;
  readonly diff: string;
  readonly audit: AuditSummary;
  /** What the tool's own run of the diagnostics found. */
  readonly diagnostics: readonly DiagnosticRun[];
  /** What was left for the task that is judged. */
  readonly left?: NotesInWords;
  /** What its worker left for others. */
  readonly claims?: readonly string[];
}

interface MergerData {
  readonly role: 'merger';
  readonly group: string;
  /** Those of the work that is merged in. */
  readonly tasks: readonly PromptTask[];
  /** Those of the work it conflicts with, as far as they are known. */
  readonly others: readonly PromptTask[];
  /** Files with conflict markers. */
  readonly paths: readonly string[];
  /** What git said about the conflicts. */
  readonly messages: readonly string[];
  readonly policy: AgentPolicy;
}

export type PromptTask = Pick<
  Task,
  'id' | 'title' | 'description' | 'acceptance_criteria' | 'constraints' | 'history'
>;
