import { describeGateDecision, listOfferedAnswers } from '../../domain/questions/offered-answers.ts';
import { parseAnswerToQuestion } from '../../domain/questions/parse-answer.ts';
import type { QuestionData, QuestionTextKind } from '../../domain/questions/question-data.ts';

/** A question as it is posted, and what its answers come to. */
export interface PreparedQuestion<Decision> {
  readonly asks: QuestionData;
  /** `the plan`, `task-001`, `changeset auth`. */
  readonly about: string;
  /** Facts that an answer depends on beyond what is shown: if they differ, it is another question. */
  readonly substance?: unknown;
  /** Parses an answer. Throws FlameErrors: it is no valid answer, or none to this question. */
  decide(given: unknown): Promise<Decision>;
  /** A text of it that is shown when it is asked for; null: there is none. */
  text(what: QuestionTextKind): Promise<string | null>;
}

/** A question whose answers are decisions as they are given. */
export function prepareSimpleQuestion<Decision>(
  asks: QuestionData,
  { about, substance }: Pick<PreparedQuestion<unknown>, 'about' | 'substance'>,
): PreparedQuestion<Decision> {
  return {
    asks,
    about,
    substance,
    decide: async (given) => parseAnswerToQuestion<Decision>(listOfferedAnswers(asks), given),
    text: async () => null,
  };
}

/** A decision in a few words: `approved`, `sent back: too early`. */
export function summarizeDecision(gate: QuestionData['gate'], decision: AnyGateDecision): string {
  if (decision.kind === 'again') return describeGateDecision(gate, { kind: 'undo' });
  return describeGateDecision(gate, { ...decision, kind: decision.status ?? decision.kind });
}

/** A decision at any gate; status: of one that a person judged. */
export interface AnyGateDecision {
  readonly kind: string;
  readonly status?: string;
}

/** The most characters that a browser shows at once, and that another process gets in one line. */
const mostShown = 2_000_000;

/** A diff, or its first lines and a last one that says what was cut and by which command it is seen whole. */
export function cutLongDiff(diff: string, whole: string): string {
  if (diff.length <= mostShown) return diff;
  const end = diff.lastIndexOf('\n', mostShown - 1) + 1 || mostShown;
  return `${diff.slice(0, end)}\n[... diff cut here: ${end} of ${diff.length} characters shown; ${whole} ...]\n`;
}
