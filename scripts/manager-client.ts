/** Writes the manager's OpenAPI document and, from that document alone, a typed client that stands by itself. */
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
  readonly patternProperties?: Readonly<Record<string, Schema>>;
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
  return `/** A typed client of the Parley manager, generated from openapi.json. It needs nothing but fetch. */

${types.join("\n")}

/** The manager refused: its status, its code and its words. */
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
  /** The text of the token file, or a device's own token. */
  readonly token: string;
  readonly fetch?: typeof fetch;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

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
}
`;
}

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

/** Names that TypeScript or the web already has get out of their way. */
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
      return "string";
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

const wrapped = (parts: readonly string[], by: string): string => [...new Set(parts)].join(by);

function objectType(schema: Schema): string {
  const [pattern] = Object.values(schema.patternProperties ?? {});
  if (pattern !== undefined) return `Record<string, ${typeOf(pattern)}>`;
  const entries = Object.entries(schema.properties ?? {});
  if (entries.length === 0) return "Record<string, unknown>";
  return `{ ${entries.map(([name, s]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${schema.required?.includes(name) === true ? "" : "?"}: ${typeOf(s)}`).join("; ")} }`;
}
