import * as z from 'zod';
import { lineSchema } from '../text.ts';

/** What a machine did at a remote that no machine which keeps to the rules can have done there. */
export const breachKinds = [
  /** A claim that is another's, in another's name, or whose number does not follow. */
  'claim',
  /** How a task ended, written under a claim of another machine, or of none. */
  'result',
  /** A claim was released that is another's, which gave signs of life all the time. */
  'release',
  /** Which machine judges a work. */
  'judging',
  /** That something landed or has ended, by who does not lead. */
  'end',
  /** A change of status that there is not. */
  'status',
  /** Who leads, and how. */
  'lead',
  /** What is spent and set aside, and how much may be. */
  'budget',
  /** What machines are trusted with, by who does not lead. */
  'trust',
  /** A sign of life of another machine. */
  'sign',
  /** A note that can't be read any more, or is gone. */
  'damage',
] as const;
export type BreachKind = (typeof breachKinds)[number];

/** One of them, as the clone keeps it that saw it. */
export const breachSchema = z.object({
  v: z.literal(1),
  kind: z.enum(breachKinds),
  session: z.string().max(100),
  task: z.string().max(100).nullable(),
  /** The machine whose it was, if any. */
  machine: lineSchema(300).nullable(),
  /** Who signed it: by its sign of life, and its key; null: not known, or nobody. */
  by: lineSchema(300).nullable(),
  key: lineSchema(100).nullable(),
  /** The commit that did it, and the ref it was on. */
  commit: z.string().max(100),
  ref: lineSchema(500),
  what: lineSchema(500),
});
export type Breach = Readonly<z.infer<typeof breachSchema>>;

/**
 * Whether it is proof against who signed it. How long somebody was silent is measured, and a sign of life that stands where
 * it does not belong was perhaps put there by another one.
 */
export function isProof({ kind }: Pick<Breach, 'kind'>): boolean {
  return kind !== 'release' && kind !== 'sign';
}
