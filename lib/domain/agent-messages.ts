import { isJsonRecord } from '../util/json.ts';

/** Question of an agent at work to the person. */
export interface AgentQuestion {
  readonly question: string;
  /** Possible answers; none: in words alone. */
  readonly options: readonly { readonly label: string; readonly description: string }[];
  /** More than one of them may be chosen. */
  readonly isSeveral: boolean;
}

/** Reply to an agent: an answer to each of its questions, or why there is none. */
export type AgentQuestionReply =
  | { readonly kind: 'answer'; readonly answers: readonly string[] }
  /** A sentence. */
  | { readonly kind: 'proceed'; readonly why: string };

/** The tool that asks, by the policy's name. */
export const askPersonToolName = 'AskUserQuestion';

/** Questions of one call, calls of one agent, characters of a question and options of it: more are not heard. */
const mostQuestions = 4;
export const maxQuestions = 3;
const longestQuestion = 4_000;
const mostOptions = 12;

/** The message to an agent that goes on by itself. */
export const goOnWithoutAnswerMessage =
  'Continue with your best judgement, and list your assumptions in your last message.';

export const noPersonToAskMessage = 'No person can answer now.';

/** Questions in one text. */
export function renderAgentQuestions(questions: readonly AgentQuestion[]): string {
  return questions.map(({ question }) => question).join(' ');
}

/**
 * Reads the input of a tool that asks a person, `{questions: [{question, options: [{label, description}]}]}` or one
 * question by itself with `choices`. null: it asks nothing that can be shown.
 */
export function readQuestions(input: unknown): readonly AgentQuestion[] | null {
  if (!isJsonRecord(input)) return null;
  const asked = Array.isArray(input.questions) ? input.questions : [input];
  if (asked.length === 0 || asked.length > mostQuestions) return null;
  const read = asked.map(readQuestion);
  return read.every((one) => one !== null) ? read : null;
}

function readQuestion(value: unknown): AgentQuestion | null {
  if (!isJsonRecord(value)) return null;
  const { question, options, choices, multiSelect, multi_select } = value;
  if (typeof question !== 'string' || question.trim() === '' || question.length > longestQuestion) return null;
  const listed: readonly unknown[] = Array.isArray(options) ? options : Array.isArray(choices) ? choices : [];
  const read = listed.slice(0, mostOptions).map(readOption);
  if (!read.every((one) => one !== null)) return null;
  return { question, options: read, isSeveral: multiSelect === true || multi_select === true };
}

function readOption(value: unknown): AgentQuestion['options'][number] | null {
  if (typeof value === 'string') return { label: value.slice(0, longestQuestion), description: '' };
  if (!isJsonRecord(value) || typeof value.label !== 'string') return null;
  const description = typeof value.description === 'string' ? value.description : '';
  return { label: value.label.slice(0, longestQuestion), description: description.slice(0, longestQuestion) };
}

/** A person's message to an agent at work. */
export interface Hint {
  readonly id: string;
  /** Its author. */
  readonly by: string;
  readonly at: string;
  readonly text: string;
}

/**
 * A hint's state. `seen`: the model answered a request that held it. `followed`: what the agent did right after that.
 * `missed`: the agent has ended, and no model got it.
 */
export type HintState = (typeof hintStates)[number];

export const hintStates = ['seen', 'followed', 'missed'] as const;

export interface HintProgress {
  readonly hint: Hint;
  readonly state: HintState;
  /** `followed`: names of the tools it called next. */
  readonly next: readonly string[];
}

/** Characters of one hint, and hints to one agent. */
export const longestHint = 4_000;
export const mostHints = 20;

/** Why an agent takes no hint, as the end of a sentence. */
export const hintRefusalReasons = {
  'no-agent': 'it no longer runs here',
  'no-model': 'it asks no model',
  'too-many': `it already has ${mostHints} hints`,
  'too-long': `a hint has at most ${longestHint} characters`,
} as const;
