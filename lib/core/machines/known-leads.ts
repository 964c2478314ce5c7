import type { Session } from '../../domain/state/session.ts';
import { isBound } from '../../util/machine-key.ts';

type Machines = Session['machines'];

/** What is kept of who led a session. */
export interface LeadRecord {
  /** The last that began to lead by the rules; null: somebody else put that one there again since. */
  readonly last: { readonly lead: string; readonly term: number } | null;
  /** All that ever led by them. */
  readonly names: readonly string[];
}

// Each needs a key and a takeover signed with it. With more than that, nothing is held against who says to lead: who
// makes so many keys can lead by the rules with any of them.
const mostNames = 1_000;
const longestName = 300;

/**
 * Who led a session by the rules in any of the versions that were seen: its refs have no one order. Only steps by the rules
 * add to that. What somebody else puts forward in a machine's name neither makes it lead nor counts against it: on such
 * a version all who ever led by the rules may do what only the lead may, until a later term begins by them.
 */
export class KnownLeads {
  readonly #names: Set<string>;
  #last: LeadRecord['last'];

  constructor({ last, names }: LeadRecord = { last: null, names: [] }) {
    this.#last = last;
    this.#names = new Set(names);
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  /** Takes in who began to lead by the rules. */
  allow(machines: Machines): void {
    if (machines === undefined || machines.lead.length > longestName) return;
    this.#last = { lead: machines.lead, term: machines.term };
    this.#add(machines.lead);
  }

  /** Takes in who was put there against the rules. */
  deny(machines: Machines): void {
    if (this.#isLast(machines)) this.#last = null;
  }

  /** Takes in who began to lead where no rule says who may, itself or by somebody else's word. */
  begin(machines: Machines, isItself: boolean): void {
    if (this.isEmpty || (isItself && this.#mayBe(machines))) this.allow(machines);
    else this.deny(machines);
  }

  /** Takes in the version that stands, where nothing led to it that was judged. */
  stands(machines: Machines): void {
    if (this.#mayBe(machines)) this.allow(machines);
  }

  /** Takes in an old version of that kind, which a line began with that came to be known later. */
  saw(machines: Machines): void {
    if (this.isEmpty) this.stands(machines);
    else if (machines !== undefined && this.#mayBe(machines)) this.#add(machines.lead);
  }

  /** Who may do what only the lead may, on a version: none is known where that is empty. */
  on(machines: Machines): readonly string[] {
    return machines !== undefined && this.#isLast(machines) ? [machines.lead] : this.all();
  }

  all(): readonly string[] {
    return this.#names.size > mostNames ? [] : [...this.#names];
  }

  record(): LeadRecord {
    return { last: this.#last, names: [...this.#names] };
  }

  #add(lead: string): void {
    if (this.#names.size <= mostNames && lead.length <= longestName) this.#names.add(lead);
  }

  #isLast(machines: Machines): boolean {
    return machines !== undefined && this.#last?.lead === machines.lead && this.#last.term === machines.term;
  }

  /** Anybody may sign in a name that holds no key: none counts beside those that do. */
  #mayBe(machines: Machines): boolean {
    return machines !== undefined && (isBound(machines.lead) || ![...this.#names].some(isBound));
  }
}

/** Whether the same machine leads in the same term. */
export function isSameLead(a: Machines, b: Machines): boolean {
  return a?.lead === b?.lead && a?.term === b?.term;
}
