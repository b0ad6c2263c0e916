/**
 * SHA-256 of a short text, without node:crypto: loading that takes three milliseconds and three megabytes, which is felt where a start needs
 * nothing else of it. For file names and the like; whatever is large, secret or compared for safety goes through node:crypto.
 */

const fractions = (roots: number, power: number): readonly number[] => {
  const found: number[] = [];
  for (let n = 2; found.length < roots; n++) {
    let d = 2;
    while (d * d <= n && n % d !== 0) d++;
    if (d * d > n) found.push(((n ** power % 1) * 2 ** 32) | 0);
  }
  return found;
};
let tables: { readonly first: readonly number[]; readonly round: readonly number[] } | undefined;

const turn = (x: number, by: number): number => (x >>> by) | (x << (32 - by));

export function shortDigest(text: string): string {
  tables ??= { first: fractions(8, 1 / 2), round: fractions(64, 1 / 3) };
  const state = Int32Array.from(tables.first);
  const bytes = padded(text);
  const words = new Int32Array(64);
  for (let at = 0; at < bytes.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = bytes.readInt32BE(at + i * 4);
    mix(state, words, tables.round);
  }
  const digest = Buffer.alloc(32);
  for (const [i, word] of state.entries()) digest.writeInt32BE(word, i * 4);
  return digest.toString("hex");
}

/** The bytes, one bit, zeros, and their number of bits in the last eight bytes. */
function padded(text: string): Buffer {
  const length = Buffer.byteLength(text, "utf8");
  const bytes = Buffer.alloc((((length + 8) >> 6) << 6) + 64);
  bytes.write(text, "utf8");
  bytes[length] = 0x80;
  bytes.writeUInt32BE(length * 8, bytes.length - 4);
  return bytes;
}

/** In plain steps: most texts are so few that V8 never optimizes it, and interpreted, arrays that trade places take four times as long. */
function mix(state: Int32Array, words: Int32Array, round: readonly number[]): void {
  const word = (i: number): number => words[i] ?? 0;
  for (let i = 16; i < 64; i++) {
    const x = word(i - 15);
    const y = word(i - 2);
    const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const large = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    words[i] = (word(i - 16) + small + word(i - 7) + large) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (round[i] ?? 0) + word(i)) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  const added = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] = ((state[i] ?? 0) + (added[i] ?? 0)) | 0;
}
