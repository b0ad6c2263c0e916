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
  const view = padded(Buffer.from(text, "utf8"));
  const words = new Int32Array(64);
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + i * 4);
    mix(state, words, tables.round);
  }
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The bytes, one bit, zeros, and their number of bits in the last eight bytes. */
function padded(bytes: Buffer): DataView {
  const view = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) << 6) + 64));
  for (const [i, byte] of bytes.entries()) view.setUint8(i, byte);
  view.setUint8(bytes.length, 0x80);
  view.setUint32(view.byteLength - 4, bytes.length * 8);
  return view;
}

function mix(state: Int32Array, words: Int32Array, round: readonly number[]): void {
  const word = (i: number): number => words[i] ?? 0;
  for (let i = 16; i < 64; i++) {
    const [x, y] = [word(i - 15), word(i - 2)];
    const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const large = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    words[i] = (word(i - 16) + small + word(i - 7) + large) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (round[i] ?? 0) + word(i)) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = ((state[i] ?? 0) + value) | 0;
}
