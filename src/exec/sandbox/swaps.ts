/**
 * Keeps concurrent commands from giving each other access to the outside. A running command may replace a folder in its writable roots by a
 * link between the planning of the next sandbox and its mounts, which follow links. What it could have replaced is checked again inside the
 * new sandbox, before the command starts: each mount must be of the planned source, at the planned place.
 */
import { readFileSync } from "node:fs";
import { isInside } from "../../lib/paths.ts";

/** One mount of a plan. */
export interface PlannedMount {
  readonly at: string;
  /** What is mounted: the folder or file of that path, a new folder in memory, or something else. */
  readonly shows: "itself" | "memory" | "other";
}

interface RunningPlan {
  readonly writable: readonly string[];
  /** Processes in that sandbox cannot move these. */
  readonly places: ReadonlySet<string>;
}

export class RunningPlans {
  readonly #running = new Set<RunningPlan>();
  readonly #written = new Set<string>();

  /** Every folder that a command of this server was allowed to write. */
  get written(): readonly string[] {
    return [...this.#written];
  }

  /** Registers a running plan; returns those of its mounts that a command that is already running could have replaced. */
  enter(mounts: readonly PlannedMount[], writable: readonly string[]): { readonly unsure: readonly PlannedMount[]; leave(): void } {
    const couldMove = ({ writable: roots, places }: RunningPlan, at: string): boolean =>
      !places.has(at) && roots.some((root) => root !== at && isInside(at, root));
    const unsure = mounts.filter(({ at }) => [...this.#running].some((plan) => couldMove(plan, at)));
    const own = { writable, places: new Set(mounts.map(({ at }) => at)) };
    this.#running.add(own);
    for (const root of writable) this.#written.add(root);
    return { unsure, leave: () => void this.#running.delete(own) };
  }
}

/** Each argument is searched in the sandbox's own mount table, where source and mount point are next to each other. */
const script = `m=
while IFS= read -r l; do m="$m$l
"; done </proc/self/mountinfo
n=$1; shift
while [ "$n" -gt 0 ]; do
  case $m in
    *" $1 "*) ;;
    *) echo "parley: \${1##* } was moved by another command while the sandbox was made; run this one again" >&2; exit 126;;
  esac
  shift; n=$((n - 1))
done
exec "$@"`;

/** The command, preceded by a check of its mounts. */
export function checkedArgv(argv: readonly string[], unsure: readonly PlannedMount[]): readonly string[] {
  if (unsure.length === 0) return argv;
  const outside = mountsOutside();
  const expected = unsure.map(({ at, shows }) => {
    const place = escaped(at);
    if (shows === "other") return place;
    return `${shows === "memory" ? "/" : whereOnDisk(place, outside)} ${place}`;
  });
  return ["/bin/sh", "-c", script, "parley-check", String(expected.length), ...expected, ...argv];
}

interface OutsideMount {
  readonly root: string;
  readonly at: string;
}

function mountsOutside(): OutsideMount[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, , , root, at] = line.split(" ");
      return root === undefined || at === undefined ? [] : [{ root, at }];
    });
}

/** A path relative to the root of its file system. If several mounts are at one place, the last one counts. */
function whereOnDisk(place: string, mounts: readonly OutsideMount[]): string {
  let best: OutsideMount = { root: "/", at: "/" };
  for (const mount of mounts) if (isInside(place, mount.at) && mount.at.length >= best.at.length) best = mount;
  const rest = best.at === "/" ? place : place.slice(best.at.length);
  return `${best.root === "/" ? "" : best.root}${rest}` || "/";
}

/** Escaped as in the mount table. */
const escaped = (file: string): string => file.replaceAll(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
