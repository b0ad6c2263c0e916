/** The front's addresses for operators: the fleet's state, where a thread is, metrics, and letting a worker leave. */
import type { FleetReport, FleetUser } from "../core/ports/fleet.ts";

export interface FleetAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Whether `answerFleet` knows the path. */
export const isFleetPath = (pathname: string): boolean => pathname === "/metrics" || /^\/api\/fleet(?:\/|$)/.test(pathname);

const json = (status: number, value: unknown): FleetAnswer => ({
  status,
  contentType: "application/json; charset=utf-8",
  body: JSON.stringify(value),
});
const problem = (status: number, code: string, message: string): FleetAnswer => json(status, { error: { code, message } });
const notFound = problem(404, "not_found", "There is nothing at this address.");
const forAdmins = problem(403, "forbidden", "This needs an administrator's token: parley fleet token --admin.");

/**
 * `user` is who sent the token, undefined for a token that is missing or not known. A thread of another team, or without a token, is
 * answered as one that does not exist.
 */
export async function answerFleet(
  { method, pathname }: { readonly method: string; readonly pathname: string },
  user: FleetUser | undefined,
  report: FleetReport,
): Promise<FleetAnswer> {
  const thread = segmentOf(pathname, /^\/api\/fleet\/threads\/([^/]+)$/);
  const leaving = segmentOf(pathname, /^\/api\/fleet\/workers\/([^/]+)\/drain$/);
  const wanted = leaving === undefined ? "GET" : "POST";
  if (thread === undefined && leaving === undefined && pathname !== "/api/fleet" && pathname !== "/metrics") return notFound;
  if (method !== wanted && !(method === "HEAD" && wanted === "GET"))
    return problem(405, "method_not_allowed", `This address takes ${wanted} only.`);
  if (thread !== undefined) return await placeOf(thread, user, report);
  if (user === undefined) return problem(401, "unauthorized", "Send a token of the fleet as Authorization: Bearer TOKEN.");
  if (!user.admin) return forAdmins;
  if (leaving !== undefined) return await drain(leaving, report);
  if (pathname === "/api/fleet") return json(200, await report.status());
  return { status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: await report.metrics() };
}

async function placeOf(threadId: string, user: FleetUser | undefined, report: FleetReport): Promise<FleetAnswer> {
  if (user === undefined || (!user.admin && user.team === null)) return notFound;
  const place = await report.place(threadId, user.admin ? null : user.team);
  return place === undefined ? notFound : json(200, place);
}

async function drain(worker: string, report: FleetReport): Promise<FleetAnswer> {
  const became = await report.drain(worker);
  if (became === "unknown") return notFound;
  return became === "lost"
    ? problem(409, "lost", "The worker is lost: there is nothing to drain.")
    : json(202, { name: worker, state: became });
}

/** The engine's texts have no place for the character 0, so that nothing there can have such a name. */
function segmentOf(pathname: string, pattern: RegExp): string | undefined {
  const [, segment] = pattern.exec(pathname) ?? [];
  if (segment === undefined) return undefined;
  try {
    const name = decodeURIComponent(segment);
    return name.length <= 200 && !name.includes("\0") ? name : undefined;
  } catch {
    return undefined;
  }
}
