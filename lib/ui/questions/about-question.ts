import { answersTo, describeDecision } from '../../domain/questions/answers-to.ts';
import type { GateAsks, GateText } from '../../domain/questions/gate.ts';
import { parseAnswer } from '../../domain/questions/parse-answer.ts';

/** A question as it is posted, and what its answers come to. */
export interface Question<Decision> {
  readonly asks: GateAsks;
  /** `the plan`, `task-001`, `changeset auth`. */
  readonly about: string;
  /** Facts that an answer depends on beyond what is shown: if they differ, it is another question. */
  readonly substance?: unknown;
  /** Parses an answer. Throws FlameErrors: it is no valid answer, or none to this question. */
  decide(given: unknown): Promise<Decision>;
  /** A text of it that is shown when it is asked for; null: there is none. */
  text(what: GateText): Promise<string | null>;
}

/** A question whose answers are decisions as they are given. */
export function plainQuestion<Decision>(
  asks: GateAsks,
  { about, substance }: Pick<Question<unknown>, 'about' | 'substance'>,
): Question<Decision> {
  return {
    asks,
    about,
    substance,
    decide: async (given) => parseAnswer<Decision>(answersTo(asks), given),
    text: async () => null,
  };
}

/** A decision in a few words: `approved`, `rejected: too early`. */
export function decisionWords(gate: GateAsks['gate'], decision: Decided): string {
  if (decision.kind === 'again') return describeDecision(gate, { kind: 'undo' });
  return describeDecision(gate, { ...decision, kind: decision.status ?? decision.kind });
}

/** A decision at any gate; status: of one that a person judged. */
export interface Decided {
  readonly kind: string;
  readonly status?: string;
}

/** The most characters that a browser shows at once, and that another process gets in one line. */
const mostShown = 2_000_000;

/** A diff, or its first lines and a last one that says what was cut and by which command it is seen whole. */
export function boundedDiff(diff: string, whole: string): string {
  if (diff.length <= mostShown) return diff;
  const end = diff.lastIndexOf('\n', mostShown - 1) + 1 || mostShown;
  return `${diff.slice(0, end)}\n[... diff cut here: ${end} of ${diff.length} characters shown; ${whole} ...]\n`;
}
