/** Writes a tar archive of text files, limited to what a report needs: short names, no folders, no links. */

const block = 512;
const maxName = 100;

export function tarOf(entries: readonly (readonly [name: string, text: string])[], now: Date = new Date()): Buffer {
  const parts = entries.flatMap(([name, text]) => {
    const body = Buffer.from(text);
    return [header(name, body.length, now), body, Buffer.alloc((block - (body.length % block)) % block)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

/** The POSIX ustar header: strings and octal numbers at fixed offsets, with a checksum over all bytes. */
function header(name: string, size: number, now: Date): Buffer {
  if (Buffer.byteLength(name) > maxName) throw new Error(`the name ${name} is too long for the archive`);
  const out = Buffer.alloc(block);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  out.write(name, 0);
  out.write(octal(0o600, 8), 100);
  out.write(octal(0, 8), 108);
  out.write(octal(0, 8), 116);
  out.write(octal(size, 12), 124);
  out.write(octal(Math.floor(now.getTime() / 1000), 12), 136);
  out.write("        ", 148);
  out.write("0", 156);
  out.write("ustar\u000000", 257, "latin1");
  const sum = out.reduce((total, byte) => total + byte, 0);
  out.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return out;
}
