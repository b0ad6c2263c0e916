/** Writes the manager's OpenAPI document and, from that document alone, a self-contained typed client. */
import manifest from "../package.json" with { type: "json" };
import { describeRoutes } from "../src/manager/openapi.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly pattern?: string;
}
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>>;
}

export function managerFiles(): ReadonlyMap<string, string> {
  const document = describeRoutes(manifest.version);
  return new Map([
    ["schema/manager/openapi.json", `${JSON.stringify(document, null, 2)}\n`],
    ["schema/manager/client.ts", clientText(document as unknown as Document)],
  ]);
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

function clientText({ paths, components }: Document): string {
  const types = Object.entries(components.schemas).map(([name, schema]) => `export type ${typeName(name)} = ${typeOf(schema)};`);
  const methods = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => methodText(method.toUpperCase(), path, operation)),
  );
  return `/** A typed client of the Parley manager, generated from openapi.json. It needs nothing but fetch and WebSocket. */

${types.join("\n")}

/** An error response of the manager: its status, code and message. */
export class ManagerError extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: unknown;
  constructor(status: number, body: unknown) {
    const { code, message } = (typeof body === "object" && body !== null ? body : {}) as { code?: unknown; message?: unknown };
    super(typeof message === "string" ? message : \`status \${status}\`);
    this.status = status;
    this.code = typeof code === "string" ? code : "error";
    this.body = body;
  }
}

export interface ManagerOptions {
  /** Such as http://127.0.0.1:4180 */
  readonly url: string;
  /** The content of the token file, or a device's own token. */
  readonly token: string;
  readonly fetch?: typeof fetch;
  /** Opens a websocket with these headers, for platforms whose built-in one cannot send any. */
  readonly openSocket?: (url: string, headers: Readonly<Record<string, string>>) => WebSocket;
}

export interface EventOptions {
  /** Only this session; default: all of them. */
  readonly threadId?: string;
  readonly families?: readonly ("core" | "raw" | "app_server" | "inbox")[];
  /** The last event number received, and from which run of the manager: later events are replayed first. */
  readonly since?: number;
  readonly bootId?: string;
  readonly signal?: AbortSignal;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

export class ManagerClient {
  readonly #options: ManagerOptions;
  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  async #call<T>(method: string, path: string, query: Query, body: unknown): Promise<T> {
    const url = new URL(path, this.#options.url);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const headers: Record<string, string> = { authorization: \`Bearer \${this.#options.token}\` };
    if (method === "POST") headers["content-type"] = "application/json";
    const send = this.#options.fetch ?? fetch;
    const response = await send(url, { method, headers, ...(method === "POST" ? { body: JSON.stringify(body ?? {}) } : {}) });
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new ManagerError(response.status, answer);
    return answer as T;
  }

${methods.join("\n\n")}

${eventsText}
}
`;
}

const eventsText = `  /**
   * Every frame of the websocket in order. After a disconnect it reconnects and continues after the last event received; a \`resync\` frame
   * means that some are lost and the sessions must be read again. Ends with the signal; throws ManagerError when the manager refuses.
   */
  async *events(options: EventOptions = {}): AsyncGenerator<StreamMessage, void, undefined> {
    const { threadId, signal } = options;
    let { since, bootId } = options;
    for (let failures = 0; signal?.aborted !== true; failures++) {
      if (failures > 0) await pause(Math.min(10_000, 200 * 2 ** failures), signal);
      const refused = await this.getAuthMe().then(() => undefined, (error: unknown) => error);
      if (refused instanceof ManagerError && refused.status < 500) throw refused;
      if (refused !== undefined) continue;
      const families = options.families?.join(",");
      for await (const message of this.#frames({ threadId, families, since, bootId }, signal)) {
        failures = 0;
        if ("bootId" in message) ({ seq: since, bootId } = message);
        yield message;
      }
    }
  }

  async *#frames(query: Query, signal: AbortSignal | undefined): AsyncGenerator<StreamMessage, void, undefined> {
    const url = new URL("/api/stream", this.#options.url);
    url.protocol = url.protocol.replace("http", "ws");
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = { authorization: \`Bearer \${this.#options.token}\` };
    // The second parameter is Node's and Bun's; browsers can send no such header and need openSocket.
    const socket = this.#options.openSocket?.(url.href, headers) ?? new WebSocket(url.href, { headers } as never);
    const received: StreamMessage[] = [];
    let isOver = false;
    let wake = (): void => {};
    const end = (): void => {
      isOver = true;
      wake();
    };
    socket.addEventListener("message", ({ data }: { data: unknown }) => {
      received.push(JSON.parse(String(data)) as StreamMessage);
      wake();
    });
    socket.addEventListener("close", end);
    socket.addEventListener("error", end);
    signal?.addEventListener("abort", end, { once: true });
    try {
      while (!isOver || received.length > 0) {
        const next = received.shift();
        if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (signal?.aborted !== true) yield next;
      }
    } finally {
      signal?.removeEventListener("abort", end);
      socket.close();
    }
  }`;

function methodText(method: string, path: string, operation: Operation): string[] {
  const answer = operation.responses["200"] ?? operation.responses["202"];
  const schema = answer?.content?.["application/json"]?.schema;
  if (schema === undefined) return [];
  const inPath = operation.parameters.filter((p) => p.in === "path");
  const inQuery = operation.parameters.filter((p) => p.in === "query");
  const body = operation.requestBody?.content["application/json"]?.schema;
  const query =
    inQuery.length === 0 ? "" : `{ ${inQuery.map((p) => `${p.name}${p.required ? "" : "?"}: ${typeOf(p.schema)}`).join("; ")} }`;
  const queryOptional = inQuery.every((p) => !p.required);
  const parameters = [
    ...inPath.map((p) => `${p.name}: string`),
    ...(body === undefined ? [] : [`body: ${typeOf(body)}`]),
    ...(query === "" ? [] : [`query: ${query}${queryOptional ? " = {}" : ""}`]),
  ];
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => `\${encodeURIComponent(${name})}`);
  const quoted = address.includes("${") ? `\`${address}\`` : JSON.stringify(address);
  return [
    `  /** ${operation.summary}. */\n  ${operation.operationId}(${parameters.join(", ")}): Promise<${typeOf(schema)}> {\n    return this.#call("${method}", ${quoted}, ${query === "" ? "{}" : "query"}, ${body === undefined ? "undefined" : "body"});\n  }`,
  ];
}

/** Names that TypeScript or the web already use are changed. */
const typeName = (name: string): string => (["Error", "Request", "Response", "Record"].includes(name) ? `${name}Type` : name);

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return typeName(schema.$ref.split("/").at(-1) ?? "unknown");
  if (schema.enum !== undefined) return schema.enum.map((v) => JSON.stringify(v)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return wrapped(schema.anyOf.map(typeOf), " | ");
  if (schema.allOf !== undefined)
    return wrapped(
      schema.allOf.map((s) => `(${typeOf(s)})`),
      " & ",
    );
  switch (schema.type) {
    case "string":
      return schema.pattern === undefined ? "string" : textStart(schema.pattern);
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return schema.items === undefined ? "unknown[]" : `(${typeOf(schema.items)})[]`;
    case "object":
      return objectType(schema);
    default:
      return "unknown";
  }
}

/** A pattern that only fixes a prefix becomes a type of its own; it distinguishes the members of a union of events. */
function textStart(pattern: string): string {
  const start = /^\^((?:[\w-]|\\\.)+)$/.exec(pattern)?.[1];
  return start === undefined ? "string" : `\`${start.replaceAll("\\.", ".")}\${string}\``;
}

const wrapped = (parts: readonly string[], by: string): string => [...new Set(parts)].join(by);

function objectType(schema: Schema): string {
  if (schema.additionalProperties !== undefined) return `Record<string, ${typeOf(schema.additionalProperties)}>`;
  const entries = Object.entries(schema.properties ?? {});
  if (entries.length === 0) return "Record<string, unknown>";
  return `{ ${entries.map(([name, s]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${schema.required?.includes(name) === true ? "" : "?"}: ${typeOf(s)}`).join("; ")} }`;
}
