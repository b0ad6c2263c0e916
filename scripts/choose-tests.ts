/** Which files of each group of tests the arguments of `npm test` choose. For scripts/test.ts. */
import path from "node:path";

export interface Choosable {
  readonly name: string;
  /** Runs only when this name is given, or files that no other group has. */
  readonly onRequest?: string;
  /** Relative to the root, as are the folders and files among the arguments. */
  readonly files: readonly string[];
}

const nameOf = ({ name, onRequest }: Choosable): string => onRequest ?? name;

/** The chosen files, in the order of the groups. */
export function chooseTests(groups: readonly Choosable[], args: readonly string[]): readonly (readonly string[])[] {
  const paths = args.filter((arg) => !groups.some((group) => nameOf(group) === arg));
  const always = new Set(groups.filter(({ onRequest }) => onRequest === undefined).flatMap(({ files }) => files));
  return groups.map((group) => {
    if (args.includes(nameOf(group))) return group.files;
    if (group.onRequest !== undefined)
      return group.files.filter((file) => !always.has(file) && paths.some((chosen) => names(chosen, file)));
    return args.length === 0 ? group.files : group.files.filter((file) => paths.some((chosen) => contains(chosen, file)));
  });
}

const contains = (chosen: string, file: string): boolean => file === chosen || file.startsWith(`${chosen}${path.sep}`);

/** `test` alone means what runs without being asked for; a folder in it means everything that is there. */
const names = (chosen: string, file: string): boolean => contains(chosen, file) && chosen.includes(path.sep);
