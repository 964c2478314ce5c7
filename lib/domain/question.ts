/** Question of an agent at work to the person. */
export interface AgentQuestion {
  readonly question: string;
  /** Possible answers; none: in words alone. */
  readonly options: readonly { readonly label: string; readonly description: string }[];
  /** More than one of them may be chosen. */
  readonly isSeveral: boolean;
}

/** Reply to an agent: an answer to each of its questions, or why there is none. */
export type QuestionReply =
  | { readonly kind: 'answer'; readonly answers: readonly string[] }
  /** A sentence. */
  | { readonly kind: 'proceed'; readonly why: string };

/** The tool that asks, by the policy's name. */
export const askTool = 'AskUserQuestion';

/** Questions of one call, calls of one agent, characters of a question and options of it: more are not heard. */
export const mostQuestions = 4;
export const mostAsked = 3;
export const longestQuestion = 4_000;
export const mostOptions = 12;

/** The message to an agent that goes on by itself. */
export const onYourOwn =
  'Go on with your best judgement, and say in your last words what you took for granted.';

export const nobodyToAsk = 'No person can be asked now.';

/** Questions in one text. */
export function questionWords(questions: readonly AgentQuestion[]): string {
  return questions.map(({ question }) => question).join(' ');
}
