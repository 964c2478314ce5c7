import { statSync } from 'node:fs';

// No git holds a ref this long; a slow machine may.
const abandonedMs = 3_000;
const oldMs = 60_000;

/** Distinguishes a lock file in use by some git from one that a killed git left. */
export class PatientLock {
  #stamp = '';
  #since = 0;

  /** True when the very same file has been seen for three seconds, or is a minute old. */
  isAbandoned(file: string): boolean {
    const stat = statSync(file, { throwIfNoEntry: false });
    const stamp = stat === undefined ? '' : `${file} ${stat.ino} ${stat.mtimeMs}`;
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#since = performance.now();
    }
    if (stat === undefined) return false;
    return performance.now() - this.#since > abandonedMs || Date.now() - stat.mtimeMs > oldMs;
  }
}
