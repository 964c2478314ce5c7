import type { Decision, DecisionLog } from '../../domain/state/decision-log.ts';

/** Remembers things that one kind of decision made trusted: each is looked up once, since that costs a hash. */
export class TrustedOnce {
  readonly #known = new WeakMap<DecisionLog, WeakSet<object>>();

  /** Whether the decision about the thing is in the log. */
  has<T extends object>(decided: DecisionLog, thing: T, decide: (thing: T) => Decision): boolean {
    return this.isSo(decided, thing, () => decided.has(decide(thing)));
  }

  /** Asks any other question about the thing; a yes is remembered. */
  isSo(decided: DecisionLog, thing: object, ask: () => boolean): boolean {
    const known = this.#known.get(decided) ?? new WeakSet();
    this.#known.set(decided, known);
    if (known.has(thing)) return true;
    if (!ask()) return false;
    known.add(thing);
    return true;
  }
}
