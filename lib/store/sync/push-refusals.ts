import type { RemoteRefs } from '../write/kept-commits.ts';
import { machinesRoot, type PushSpec } from './remote-refs.ts';
import { type PushRefusal, remoteRefuses } from './sync-errors.ts';

// A server may be busy for a moment, and a lock of a push that is going on is gone soon.
const refusalsInPlace = 3;

/**
 * Distinguishes races from refusals: another clone was first only if a ref moved. Servers use the same words for a
 * stale lock, for a ref in the way, and for a rule.
 */
export class PushRefusalHistory {
  readonly #remote: string;
  #tips = '';
  #times = 0;
  #words = '';

  constructor(remote: string) {
    this.#remote = remote;
  }

  /** Output of git about the last one. */
  get words(): string {
    return this.#words;
  }

  /**
   * Notes that a push onto these tips was refused. Throws FlameError `remote-refuses-state` at the third one where
   * none of the refs had moved.
   */
  note(refusal: PushRefusal, specs: readonly PushSpec[], theirs: RemoteRefs): void {
    const tips = tipsOf(specs, theirs);
    this.#times = tips === this.#tips ? this.#times + 1 : 1;
    this.#tips = tips;
    this.#words = refusal.stderr;
    if (this.#times >= refusalsInPlace) throw remoteRefuses(this.#remote, refusal);
  }
}

/** Tips of a push's refs before it. Heartbeats are left out: their moves don't show that another clone was first. */
function tipsOf(specs: readonly PushSpec[], theirs: RemoteRefs): string {
  const refs = [...new Set(specs.map(({ to }) => to))].filter((ref) => !ref.startsWith(machinesRoot)).sort();
  return JSON.stringify(refs.map((ref) => [ref, theirs.get(ref) ?? null]));
}
