import type { Fault, StepAuthor } from '../../core/machines/judge-task-step.ts';
import { isSameLead, KnownLeads, type LeadRecord } from '../../core/machines/known-leads.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session.ts';

export interface LeadOptions {
  /** This machine. */
  readonly own: string;
  /** Who led up to where this clone judged; null: that is not known. */
  readonly kept: LeadRecord | null;
  /** The session as a commit of its ref has it; null: it has none. */
  readonly read: (commit: ObjectId) => Promise<Session | null>;
}

interface LeadStep {
  readonly before: Session | null;
  readonly after: Session | null;
  readonly isMerge: boolean;
  readonly faults: readonly Fault[];
  readonly isBy: StepAuthor['isBy'];
}

/** Who leads a session, followed from state to state of its ref, and from step to step between them. */
export class LeadLine {
  readonly #options: LeadOptions;
  readonly #leads: KnownLeads;
  /** The state that was looked at last, and who led there; null: none was. */
  #last: { readonly tip: ObjectId; readonly machines: Session['machines'] } | null = null;

  constructor(options: LeadOptions) {
    this.#options = options;
    this.#leads = new KnownLeads(options.kept ?? undefined);
  }

  record(): LeadRecord {
    return this.#leads.record();
  }

  on(session: Session): readonly string[] {
    return this.#leads.on(session.machines);
  }

  all(): readonly string[] {
    return this.#leads.all();
  }

  /** Begins where the last look ended, or what this machine wrote since: that is not judged. */
  async startFrom(tip: ObjectId): Promise<void> {
    if (this.#last?.tip === tip) return;
    const machines = (await this.#options.read(tip))?.machines;
    const isOwn = machines?.lead === this.#options.own && this.#last !== null;
    if (this.#leads.isEmpty) this.#leads.stands(machines);
    else if (isOwn && !isSameLead(this.#last?.machines, machines)) this.#leads.allow(machines);
    this.#last = { tip, machines };
  }

  /** Ends where this look does. Where no steps led there, the remote went back, and a person had a sync decide it. */
  async endAt(tip: ObjectId, isFollowed: boolean): Promise<void> {
    if (this.#last?.tip === tip) return;
    const machines = (await this.#options.read(tip))?.machines;
    const isOther = this.#last === null || !isSameLead(this.#last.machines, machines);
    if (!isFollowed && isOther) this.#leads.stands(machines);
    this.#last = { tip, machines };
  }

  /** Takes in a version from which a step goes out to which none led that was judged. */
  saw(session: Session | null): void {
    this.#leads.saw(session?.machines);
  }

  /** Takes in who leads after a step. */
  follow({ before, after, isMerge, faults, isBy }: LeadStep): void {
    const [was, is] = [before?.machines, after?.machines];
    if (is === undefined || isSameLead(was, is)) return;
    if (faults.some(({ kind }) => kind === 'lead')) this.#leads.deny(is);
    // A merge is nobody's word: its sides were followed, and it adds nothing.
    else if (isMerge) return;
    else if (was === undefined || before?.state === 'ended') this.#leads.begin(is, isBy(is.lead));
    else this.#leads.allow(is);
  }
}
