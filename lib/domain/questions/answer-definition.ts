import type { QuestionData, QuestionTextKind } from './question-data.ts';

/** A value that can be chosen. */
export interface FieldChoice {
  readonly value: string;
  readonly label: string;
  /** Its other name, where it is typed. */
  readonly name?: string;
}

/** A field of an answer: forms draw it, prompts ask for it, and it is checked by its kind. */
export type AnswerField = { readonly name: string; readonly label: string } & (
  | {
      readonly kind: 'words';
      readonly isNeeded: boolean;
      readonly value?: string;
      /** Its initial text is loaded when it is opened. */
      readonly loads?: QuestionTextKind;
      /** How it is written in a usage: `REASON`. */
      readonly usage?: string;
      /** The effect of Enter alone at a terminal, a clause; without it, a required field is asked for again. */
      readonly enter?: string;
      /** The terminal's message where Enter took the answer back. */
      readonly without?: string;
      /** One of several fields of this name, whose texts are a list. */
      readonly isListed?: true;
    }
  | { readonly kind: 'lines'; readonly value: readonly string[] }
  | { readonly kind: 'tick' }
  | { readonly kind: 'amount'; readonly isWhole: boolean; readonly usage: string }
  | {
      readonly kind: 'one' | 'some';
      readonly options: readonly FieldChoice[];
      /** The error for an unknown name, before the name. */
      readonly unknown: string;
      readonly usage?: string;
    }
  /** Remarks on lines of the change: a form has no place for them. */
  | { readonly kind: 'comments' }
);

/** An answer as it is given: its word, and its fields by their names. */
export interface AnswerInput {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** One of the answers that a question offers: plain data, for all that draw it. */
export interface OfferedAnswer {
  /** As it is typed, sent and written in a decisions file. */
  readonly word: string;
  readonly label: string;
  /** At a terminal, its key in parentheses: `(a)pprove`. */
  readonly key: string;
  readonly look: 'good' | 'bad' | '';
  /** Its effect, a clause. */
  readonly means: string;
  readonly fields: readonly AnswerField[];
  /** How the button of its form is called; '': as the answer. */
  readonly send: string;
  /** It ends something: a form asks once more, although it has no fields. */
  readonly confirms: boolean;
  /** Fields that choosing it fills in. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Among the answers with the same key: what is typed for this one, `task-001 2`. */
  readonly name: string;
}

/** How an answer is written in a decisions file: as a word, or as a map whose first key is `key`. */
export interface DecisionsFileForm<Asks> {
  readonly word?: string;
  readonly key?: string;
  /** Words by default. */
  readonly holds?: 'words' | 'comments' | 'amount' | 'attempt' | 'attempts' | 'texts';
  /** The field that it fills. */
  readonly field?: string;
  /** How what it holds is called, where that is not the field's name: `reason`. */
  readonly usage?: string;
  /** Keys that may stand beside it. */
  readonly beside?: readonly ('tasks' | 'comments' | 'keep' | 'message')[];
  /** Whether it is named where the question waits and no person is there; absent: it is. */
  readonly isNamed?: (asks: Asks) => boolean;
}

/** One row of the table: an answer to a kind of question. */
export interface AnswerDefinition<Asks> {
  readonly word: string;
  readonly label: string;
  readonly key: string;
  readonly look?: 'good' | 'bad';
  /** See OfferedAnswer. */
  readonly send?: string;
  readonly confirms?: true;
  readonly means: string | ((asks: Asks) => string);
  /** absent: always. */
  readonly isOffered?: (asks: Asks) => boolean;
  readonly fields?: (asks: Asks) => readonly AnswerField[];
  /** Several answers of this word, each with a label of its own and its fields filled in. */
  readonly each?: (asks: Asks) => readonly Pick<OfferedAnswer, 'label' | 'means' | 'given' | 'name'>[];
  /** Where it is typed in one line in another way than by its fields. */
  readonly typed?: {
    readonly usage?: (asks: Asks) => string;
    readonly means?: (asks: Asks) => string;
    readonly read?: (text: string, asks: Asks) => Readonly<Record<string, unknown>>;
  };
  readonly inFile?: readonly DecisionsFileForm<Asks>[];
  /** The option of the gate's own command that gives it: `--reject REASON`. */
  readonly flag?: (asks: Asks) => string;
  /** The decision in a few words: `rejected: too early`. */
  readonly done: string | ((given: AnswerInput) => string);
}

export type QuestionDataAtGate<Gate extends QuestionData['gate']> = Extract<QuestionData, { readonly gate: Gate }>;

/** A field for what a person writes. */
export function textAnswerField(
  name: string,
  label: string,
  more: Partial<Extract<AnswerField, { readonly kind: 'words' }>> = {},
): AnswerField {
  return { kind: 'words', isNeeded: true, ...more, name, label };
}
