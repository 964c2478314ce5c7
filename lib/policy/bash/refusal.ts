import { type Objection, objection, type RuleName } from '../rules.ts';

/** Ends the reading of a command from within its nodes; caught where the reading began. */
export class Refusal extends Error {
  readonly objection: Objection;

  constructor(rule: RuleName, details: string, advice?: string) {
    super(details);
    this.objection = objection(rule, details, advice);
  }

  static of({ rule, details, advice }: Objection): Refusal {
    return new Refusal(rule, details, advice);
  }
}

/** Refuses a text whose value only bash could know. */
export function dynamic(text: string, why: string): Refusal {
  return new Refusal(
    'bash-dynamic',
    `${JSON.stringify(text.slice(0, 100))} ${why}. Write the words out, and put text with \`$\`, \`*\` or \`~\` in it into single quotes.`,
  );
}
