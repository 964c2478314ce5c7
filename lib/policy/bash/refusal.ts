import { type Objection, objection, type RuleName } from '../rules.ts';

/** Ends the reading of a command from within its nodes; caught where the reading began. */
export class Refusal extends Error {
  readonly objection: Objection;

  constructor(rule: RuleName, details: string) {
    super(details);
    this.objection = objection(rule, details);
  }
}
