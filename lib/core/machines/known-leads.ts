import type { Session } from '../../domain/state/session.ts';

type Machines = Session['machines'];

/**
 * Who led a session by the rules in any of the versions that were seen: its refs have no one order. Who took the lead
 * against them leads nothing, until a later term begins by the rules.
 */
export class KnownLeads {
  readonly #names = new Set<string>();
  /** Terms, with whose they are, that were begun against the rules. */
  readonly #denied = new Set<string>();

  /** Takes in what a version says. */
  saw(machines: Machines): void {
    if (machines !== undefined && !this.#isDenied(machines)) this.#names.add(machines.lead);
  }

  /** Takes in a step that broke the rules of who leads. */
  deny(before: Machines, after: Machines): void {
    this.saw(before);
    const isOther = before?.lead !== after?.lead || before?.term !== after?.term;
    if (after !== undefined && isOther) this.#denied.add(termOf(after));
  }

  /** Who may do what only the lead may, on a version: none is known where that is empty. */
  on(machines: Machines): readonly string[] {
    return machines === undefined || this.#isDenied(machines) ? this.all() : [machines.lead];
  }

  all(): readonly string[] {
    return [...this.#names];
  }

  #isDenied(machines: NonNullable<Machines>): boolean {
    return this.#denied.has(termOf(machines));
  }
}

function termOf({ lead, term }: NonNullable<Machines>): string {
  return `${term} ${lead}`;
}
