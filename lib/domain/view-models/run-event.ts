import type { HintState } from '../agent-messages.ts';
import type { Failure } from '../failure.ts';
import type { Role } from '../role.ts';
import type { TaskStatus } from '../state/task-schema.ts';
import type { MachineEvent } from './listed-machines.ts';
import type { PredictedConflict } from './status-view.ts';

/** Events while waves run: rendered as lines at a terminal, as NDJSON with `--json`. */
export type RunEvent = { readonly at: string } & RunEventBody;

/** A person decided about the session's budget; a task was judged, or is not done any more. */
export type WarningEnd = 'budget-decided' | `judged ${string}`;

export type RunEventBody =
  | {
      readonly event: 'session-started';
      readonly session: string;
      readonly objective: string;
      readonly base_branch: string;
    }
  | {
      readonly event: 'notice';
      readonly level: 'info' | 'warning';
      readonly message: string;
      readonly details?: readonly string[];
      /** The event that ends what it warns of. */
      readonly until?: WarningEnd;
    }
  | {
      readonly event: 'canary';
      readonly result: 'denied' | 'failed' | 'not-needed';
      readonly details: string;
    }
  | { readonly event: 'wave-started'; readonly wave: string; readonly cycle: number }
  | { readonly event: 'wave-ended'; readonly wave: string; readonly cycle: number; readonly summary: string }
  | { readonly event: 'plan-proposed'; readonly tasks: number; readonly waves: number }
  | { readonly event: 'plan-invalid'; readonly problems: readonly string[] }
  | {
      readonly event: 'task-changed';
      readonly task: string;
      readonly from: TaskStatus;
      readonly to: TaskStatus;
      readonly why: string;
    }
  | {
      readonly event: 'agent-started';
      readonly agent: string;
      readonly role: Role;
      readonly task: string | null;
      readonly pid: number;
    }
  | {
      readonly event: 'agent-activity';
      readonly agent: string;
      readonly text: string;
      readonly tokens: number;
      readonly cost_usd: number;
    }
  | {
      readonly event: 'agent-ended';
      readonly agent: string;
      readonly role: Role;
      readonly task: string | null;
      readonly outcome: string;
      readonly cost_usd: number;
      readonly tokens: number;
      readonly duration_ms: number;
    }
  | {
      readonly event: 'task-failed';
      readonly task: string;
      readonly failure: Failure;
      readonly will_retry: boolean;
    }
  /** An agent asks the person while it works. */
  | {
      /** dropped: it ended before. */
      readonly event: 'question';
      readonly agent: string;
      readonly task: string | null;
      readonly text: string;
      readonly state: 'asked' | 'answered' | 'unanswered' | 'dropped';
      /** The answer, or why there is none. */
      readonly answer: string;
    }
  /** A new state of a person's hint to an agent at work. */
  | {
      readonly event: 'hint';
      readonly agent: string;
      readonly task: string | null;
      readonly hint: string;
      readonly by: string;
      readonly text: string;
      readonly state: HintState;
      /** `followed`: the tools it called next. */
      readonly next: readonly string[];
    }
  /** An agent that was about to end was warned, once, what its work would be refused for. */
  | {
      readonly event: 'last-word';
      readonly agent: string;
      readonly task: string;
      readonly about: readonly string[];
    }
  /** One of several attempts at a task at once is over. */
  | {
      readonly event: 'attempt-ended';
      readonly task: string;
      readonly agent: string;
      /** Its place among them, from 1. */
      readonly attempt: number;
      readonly of: number;
      readonly outcome: 'handed-in' | 'failed' | 'left-out';
      /** Changed lines of what it handed in. */
      readonly lines: number | null;
      readonly why: string | null;
    }
  /** A diagnostic or a setup command starts, or has ended; `about` says for whose work where that has a name. */
  | {
      readonly event: 'check';
      readonly id: string;
      readonly commit: string;
      readonly about: string | null;
      readonly command: string;
      /** null while it runs, and where it was cut short. */
      readonly exit_code: number | null;
      readonly state: 'started' | 'ended';
    }
  | {
      readonly event: 'verdict';
      readonly task: string;
      readonly commit: string;
      readonly status: 'pass' | 'fail';
      readonly notes: string;
      readonly by: string;
    }
  | {
      readonly event: 'evidence-verified';
      readonly task: string;
      readonly commit: string;
      /** Verification hashes: of the verdict, and of the same checks run again. */
      readonly expected: string;
      readonly found: string;
      /** One line each; none: the same came out. */
      readonly differences: readonly string[];
    }
  /** Evidence of a changeset's task is in doubt: a person should look before deciding. Nothing is rejected for it. */
  | {
      readonly event: 'manual-review';
      readonly changeset: string;
      readonly task: string;
      readonly commit: string;
      readonly reasons: readonly string[];
    }
  | {
      readonly event: 'changeset-built';
      readonly session: string;
      readonly changeset: string;
      readonly tasks: readonly string[];
      readonly commit: string;
      readonly red: boolean;
    }
  | {
      readonly event: 'changeset-decided';
      readonly changeset: string;
      readonly decision: string;
      readonly reason: string | null;
      /** Of a rejection in part: the tasks that went back. */
      readonly tasks?: readonly string[];
    }
  /** A person took it back: the changeset waits again. `was`: approved, rejected, skipped. */
  | { readonly event: 'decision-undone'; readonly changeset: string; readonly was: string }
  | { readonly event: 'landed'; readonly changeset: string; readonly commit: string; readonly branch: string }
  /** Approved work is on a branch of its own: the text of its pull request is written, or the request is open. */
  | {
      readonly event: 'pull-request';
      readonly state: 'prepared' | 'opened' | 'updated';
      readonly branch: string;
      readonly base: string;
      readonly title: string;
      readonly body: string;
      /** Where the body is kept, for `gh pr create --body-file`. */
      readonly body_file: string;
      readonly url: string | null;
      /** Commands that push the branch and open the request by hand. */
      readonly commands: readonly string[];
    }
  | { readonly event: 'landing-refused'; readonly changeset: string; readonly why: string }
  /** Where the session can be followed, and what waits be decided, in a browser, by anyone who has the address. */
  | { readonly event: 'board'; readonly url: string; readonly tunnel?: string }
  /** Where changesets can be decided in a browser, by anyone who has the address. */
  | { readonly event: 'review-page'; readonly url: string }
  /** A model that leads called one of its tools; `code` is why it was refused. Spending is what the model cost so far. */
  | {
      readonly event: 'queen-call';
      readonly agent: string;
      readonly tool: string;
      /** Its subject, '' where there is none. */
      readonly about: string;
      readonly code: string | null;
      readonly cost_usd: number;
      readonly tokens: number;
    }
  /** An agent printed nothing and asked for nothing for a while; its time limit will end it, or a person. */
  | {
      readonly event: 'agent-stalled';
      readonly agent: string;
      readonly task: string | null;
      readonly quiet_ms: number;
    }
  /** A model API said to wait: no agent of that adapter starts before `until` (ISO 8601). */
  | {
      readonly event: 'paused';
      readonly adapter: string;
      readonly until: string;
      readonly why: string;
    }
  | { readonly event: 'resumed'; readonly adapter: string }
  /** Predicted conflicts of works as they are now: all of them, and those not reported before. */
  | {
      readonly event: 'conflicts-ahead';
      readonly found: readonly PredictedConflict[];
      readonly added: readonly PredictedConflict[];
    }
  | MachineEvent
  | { readonly event: 'gate'; readonly gate: string; readonly decision: string }
  | {
      readonly event: 'script';
      readonly hook: string;
      readonly exit_code: number | null;
      readonly output: string;
    }
  | { readonly event: 'session-ended'; readonly [key: string]: unknown };

/** Where the engine reports to; rendering decides nothing. */
export interface RunEventSink {
  emit(body: RunEventBody): void;
}
