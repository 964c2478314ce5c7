// Clocks are set by less.
const asleepMs = 5_000;

/** Whether the machine slept: then the other end of a connection is as good as gone, and would be waited for. */
export class SleepWatch {
  #clock = clockOffset();

  /** Since it was asked last. */
  hasSlept(): boolean {
    const offset = clockOffset();
    const hasSlept = Math.abs(offset - this.#clock) > asleepMs;
    this.#clock = offset;
    return hasSlept;
  }
}

/** By how much the clock of the day is ahead of one that stands still while the machine sleeps; milliseconds. */
function clockOffset(): number {
  return Date.now() - performance.now();
}
