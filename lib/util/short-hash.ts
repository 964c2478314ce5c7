/** The hash of a short text, in hex: for the first few of a process, since node's own take some milliseconds to load. */
export function shortHash(kind: 'sha1' | 'sha256', bytes: Uint8Array): string {
  const words = blocksOf(bytes);
  const state = kind === 'sha1' ? sha1(words) : sha256(words);
  let text = '';
  for (const word of state) text += (word >>> 0).toString(16).padStart(8, '0');
  return text;
}

/** The message in words of 32 bits, with its padding and its length in bits. */
function blocksOf(bytes: Uint8Array): Int32Array {
  const words = new Int32Array((((bytes.length + 8) >> 6) + 1) << 4);
  for (let at = 0; at < bytes.length; at += 1)
    words[at >> 2] = (words[at >> 2] ?? 0) | ((bytes[at] ?? 0) << (24 - ((at & 3) << 3)));
  words[bytes.length >> 2] = (words[bytes.length >> 2] ?? 0) | (0x80 << (24 - ((bytes.length & 3) << 3)));
  words[words.length - 1] = bytes.length << 3;
  return words;
}

const schedule = new Int32Array(80);

function sha1(words: Int32Array): Int32Array {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const w = schedule;
  for (let block = 0; block < words.length; block += 16) {
    for (let at = 0; at < 80; at += 1)
      w[at] =
        at < 16
          ? word(words, block + at)
          : left(word(w, at - 3) ^ word(w, at - 8) ^ word(w, at - 14) ^ word(w, at - 16), 1);
    let [a, b, c, d, e] = [word(state, 0), word(state, 1), word(state, 2), word(state, 3), word(state, 4)];
    for (let at = 0; at < 80; at += 1) {
      const mixed =
        at < 20
          ? ((b & c) | (~b & d)) + 0x5a827999
          : at < 40
            ? (b ^ c ^ d) + 0x6ed9eba1
            : at < 60
              ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
              : (b ^ c ^ d) + 0xca62c1d6;
      const next = (left(a, 5) + mixed + e + word(w, at)) | 0;
      e = d;
      d = c;
      c = left(b, 30);
      b = a;
      a = next;
    }
    addTo(state, a, b, c, d, e);
  }
  return state;
}

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const roundsOf256 = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));

function sha256(words: Int32Array): Int32Array {
  const state = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
  const w = schedule;
  for (let block = 0; block < words.length; block += 16) {
    for (let at = 0; at < 64; at += 1) w[at] = at < 16 ? word(words, block + at) : extended(w, at);
    let [a, b, c, d] = [word(state, 0), word(state, 1), word(state, 2), word(state, 3)];
    let [e, f, g, h] = [word(state, 4), word(state, 5), word(state, 6), word(state, 7)];
    for (let at = 0; at < 64; at += 1) {
      const sum = left(e, 26) ^ left(e, 21) ^ left(e, 7);
      const first = (h + sum + ((e & f) ^ (~e & g)) + word(roundsOf256, at) + word(w, at)) | 0;
      const second = ((left(a, 30) ^ left(a, 19) ^ left(a, 10)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    addTo(state, a, b, c, d, e, f, g, h);
  }
  return state;
}

function extended(w: Int32Array, at: number): number {
  const [before, after] = [word(w, at - 15), word(w, at - 2)];
  const low = left(before, 25) ^ left(before, 14) ^ (before >>> 3);
  const high = left(after, 15) ^ left(after, 13) ^ (after >>> 10);
  return (word(w, at - 16) + low + word(w, at - 7) + high) | 0;
}

function addTo(state: Int32Array, ...parts: readonly number[]): void {
  for (const [at, part] of parts.entries()) state[at] = (word(state, at) + part) | 0;
}

function word(words: Int32Array, at: number): number {
  return words[at] ?? 0;
}

function left(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function fraction(root: number): number {
  return ((root % 1) * 2 ** 32) | 0;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1)
    if (found.every((prime) => next % prime !== 0)) found.push(next);
  return found;
}
