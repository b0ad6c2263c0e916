/** Writes small zip archives whose entries are stored without compression. */
import { crc32 } from "node:zlib";

/** All entries are dated 1980-01-01, the earliest date that the format knows. */
const date = 0x21;

export function zipOf(entries: Readonly<Record<string, string>>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const [path, data] = [Buffer.from(name), Buffer.from(text)];
    const common = commonFields(path, data);
    const file = Buffer.concat([signature("PK\x03\x04"), common, path, data]);
    directory.push(directoryEntry(common, path, offset));
    files.push(file);
    offset += file.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, index, signature("PK\x05\x06"), end]);
}

const signature = (text: string): Buffer => Buffer.from(text, "latin1");

/** The fields that an entry and its line in the directory share, from the version to the lengths of name and extra data. */
function commonFields(path: Buffer, data: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0); // version 2.0
  fields.writeUInt16LE(0x0800, 2); // names are UTF-8
  fields.writeUInt16LE(date, 8);
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(path.length, 22);
  return fields;
}

function directoryEntry(common: Buffer, path: Buffer, offset: number): Buffer {
  const version = Buffer.from([20, 0]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([signature("PK\x01\x02"), version, common, rest, path]);
}
