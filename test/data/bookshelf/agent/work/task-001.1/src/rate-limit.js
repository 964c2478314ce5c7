/** Counts requests by client in a sliding window. */
export class RateLimit {
  #times = new Map();

  constructor(requests, seconds, now = Date.now) {
    Object.assign(this, { requests, seconds, now });
  }

  /** Seconds this client has to wait; 0: none. */
  take(client) {
    const now = this.now();
    const start = now - this.seconds * 1000;
    const all = this.#times.get(client) ?? [];
    const times = all.filter((time) => time > start);
    const isFull = times.length >= this.requests;
    if (!isFull) times.push(now);
    this.#times.set(client, times);
    return isFull ? (times[0] - start) / 1000 : 0;
  }
}
