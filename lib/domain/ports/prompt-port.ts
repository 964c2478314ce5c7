import type { AgentPolicy } from '../agent-policy.ts';
import type { Task } from '../state/task-schema.ts';
import type { DiagnosticRun } from '../state/verdict.ts';
import type { AuditSummary } from './agent-port.ts';

/** Prompts of an agent. The system part holds no outside text; the prompt holds it as marked data. */
export interface Prompts {
  readonly system: string;
  readonly prompt: string;
}

/** Writes the prompts of each role from its template. */
export interface PromptRenderer {
  /** Throws FlameError `bad-template` when a template of the repository's own can't be rendered. */
  render(data: PromptData, projectFiles?: readonly ProjectInstructionsFile[]): Prompts;
  /** Renders the message to a worker that is about to end. Throws as render does. */
  lastWord(found: FinalCheckData): string;
}

/** Problems of a worker's work as it stands. */
export interface FinalCheckData {
  /** Objections of the post-check, one each. */
  readonly objections: readonly string[];
  /** Diagnostics that fail on it, each with the end of its output. */
  readonly failing: readonly string[];
}

/** A repository's own instructions to agents, such as AGENTS.md. */
export interface ProjectInstructionsFile {
  readonly path: string;
  readonly text: string;
}

export type PromptData = PlannerData | WorkerData | ValidatorData | MergerData | LeadAgentData;

export interface PlannerData {
  readonly role: 'planner';
  readonly isInteractive: boolean;
  readonly objective: string;
  /** Overview of the repository: its files in short, the head of its README. */
  readonly files: string;
  readonly readme: string;
  /** Memory of earlier sessions, already bounded; '' if nothing. */
  readonly memory: string;
  /** Why earlier plans of this session were sent back, oldest first. */
  readonly notes: readonly string[];
  /** The plan that was sent back last, a task a line; empty: none was. */
  readonly sentBack: readonly string[];
  /** The tasks there are by now, and how each stands. */
  readonly tasks: readonly string[];
  /** Problems of the plan just given; empty: none. */
  readonly problems: readonly string[];
}

/** First data of a lead agent; everything else it asks for. */
export interface LeadAgentData {
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
  /** The diff of the latest attempt that was not accepted; absent where there was none. */
  readonly earlier?: string;
  /** Whether the worktree holds that already: a person had it kept. */
  readonly isKept?: boolean;
  /** Tasks whose work the worktree holds although it has not landed: what they wrote is theirs. */
  readonly below?: readonly PromptTask[];
  /** The tool by which it asks the person; '', or absent: it can't. */
  readonly askTool?: string;
  /** Notes left for it. */
  readonly left?: NotesForPrompt;
}

/** Bounded; see selectNotesForTask. */
export interface NotesForPrompt {
  readonly words: readonly { readonly from: string; readonly text: string }[];
  readonly leftOut: number;
}

interface ValidatorData {
  readonly role: 'validator';
  readonly task: PromptTask;
  readonly policy: AgentPolicy;
  readonly diff: string;
  readonly audit: AuditSummary;
  /** Results of the tool's own run of the diagnostics. */
  readonly diagnostics: readonly DiagnosticRun[];
  /** Notes left for the task that is judged. */
  readonly left?: NotesForPrompt;
  /** Notes its worker left for others. */
  readonly claims?: readonly string[];
}

interface MergerData {
  readonly role: 'merger';
  readonly group: string;
  /** Tasks of the work that is merged in. */
  readonly tasks: readonly PromptTask[];
  /** Tasks of the work it conflicts with, as far as they are known. */
  readonly others: readonly PromptTask[];
  /** Files with conflict markers. */
  readonly paths: readonly string[];
  /** Git's messages about the conflicts. */
  readonly messages: readonly string[];
  readonly policy: AgentPolicy;
}

export type PromptTask = Pick<Task, 'id' | 'title' | 'description' | 'acceptance_criteria' | 'constraints' | 'history'>;
