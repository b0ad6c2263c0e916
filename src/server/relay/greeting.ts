/** What one server tells another about the client whose conversation it passes on: the first line on a private socket. */

import { parseJson } from "../../lib/parse-json.ts";
import { array, boolean, type Infer, literals, named, nullable, object, optional, parse, string } from "../../lib/schema.ts";
import { SessionSource } from "../../protocol/policy.ts";
import { calledBy, type Session } from "../app.ts";
import type { ConnectionOptions } from "../connection.ts";

/** Processes of different versions may share a home; one that reads another form is not passed anything. */
const form = "parley-relay-1";

const Greeting = named("RelayGreeting", () =>
  object({
    relay: literals(form),
    client: object({ name: string(), title: nullable(string()), version: string() }),
    originator: string(),
    userAgent: string(),
    dialect: literals("seed-000", "0.92", "0.166"),
    experimental: boolean(),
    optOut: array(string()),
    terminals: optional(boolean()),
    source: SessionSource(),
    unattended: boolean(),
    needsModel: boolean(),
    keepsUnused: boolean(),
    receivesRaw: boolean(),
  }),
);
type Greeting = Infer<typeof Greeting>;

export function greetingOf(session: Session): string {
  const { client, dialect, experimental, source, unattended, needsModel, keepsUnused, receivesRaw } = session;
  const greeting: Greeting = {
    ...{ relay: form, client, dialect, experimental, source, unattended, needsModel, keepsUnused, receivesRaw },
    ...calledBy(session),
    ...{ optOut: [...session.optOut], terminals: session.terminals },
  };
  return JSON.stringify(greeting);
}

/** The first line of a process that wants the statuses of this one's threads. */
export const statusGreeting = JSON.stringify({ statuses: "parley-statuses-1" });

/** The first line of the answer: the process is alive and has understood the greeting. */
export const welcomeLine = JSON.stringify({ relay: form });

/** Undefined if the line is no greeting that this version understands. */
export function readGreeting(line: string): ConnectionOptions | undefined {
  const greeting = parse(Greeting, parseJson(line));
  if (greeting === undefined) return undefined;
  const { client, originator, userAgent, dialect, experimental, optOut, terminals = false, relay: _, ...options } = greeting;
  return {
    ...options,
    isRelayed: true,
    introduction: { client, originator, userAgent, dialect, experimental, optOut: new Set(optOut), terminals },
  };
}
