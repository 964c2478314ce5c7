import type { Origins } from '../../domain/state/origins.ts';

type Decided = Pick<Origins, 'refresh' | 'revision'>;

interface Kept<Made> {
  readonly origins: Decided;
  readonly revision: number;
  readonly made: Made;
}

/** Keeps what was made of something by what counts here, until anything else is decided or taken back. */
export class SinceDecided<Thing extends object, Made> {
  readonly #kept = new WeakMap<Thing, Kept<Made>>();

  /** Takes in first what other processes have decided; undefined: it has to be made. */
  get(thing: Thing, origins: Decided): Made | undefined {
    origins.refresh();
    const kept = this.#kept.get(thing);
    return kept?.origins === origins && kept.revision === origins.revision ? kept.made : undefined;
  }

  keep(thing: Thing, origins: Decided, made: Made): void {
    this.#kept.set(thing, { origins, revision: origins.revision, made });
  }
}
