import type { GateText } from '../../../domain/shown/gate.ts';

/** What a person fills in for an answer. */
export type AnswerField =
  | {
      readonly kind: 'words';
      readonly name: string;
      readonly label: string;
      readonly isNeeded: boolean;
      readonly value?: string;
      /** What it holds at first comes when it is opened. */
      readonly loads?: GateText;
    }
  | {
      readonly kind: 'lines';
      readonly name: string;
      readonly label: string;
      readonly value: readonly string[];
    }
  | { readonly kind: 'tick'; readonly name: string; readonly label: string }
  | { readonly kind: 'amount'; readonly name: string; readonly label: string; readonly isWhole: boolean }
  | {
      readonly kind: 'one' | 'some';
      readonly name: string;
      readonly label: string;
      readonly options: readonly { readonly value: string; readonly label: string }[];
    };

export type Filled = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One of the answers that a question offers. */
export interface GateChoice {
  readonly label: string;
  readonly look: 'good' | 'bad' | '';
  /** What it comes to, a sentence. */
  readonly outcome: string;
  readonly fields: readonly AnswerField[];
  /** The answer as it is sent. */
  answer(filled: Filled): unknown;
}

/** An answer that nothing is filled in for. */
export function plain(label: string, look: GateChoice['look'], outcome: string, answer: object): GateChoice {
  return { label, look, outcome, fields: [], answer: () => answer };
}

/** A field for what a person writes. */
export function words(
  name: string,
  label: string,
  isNeeded = true,
): Extract<AnswerField, { readonly kind: 'words' }> {
  return { kind: 'words', name, label, isNeeded };
}

/** A clause as a sentence of its own. */
export function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
