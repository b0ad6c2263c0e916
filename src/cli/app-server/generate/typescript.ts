/** Prints named types as TypeScript, one file each, in the style of the real tool. */
import type { JsonSchema } from "../../../lib/schema.ts";
import { type Direction, messageUnion, namedTypes, notificationEnvelope, type Options, surface } from "./definitions.ts";
import { type Folder, type Place, placeOf } from "./layout.ts";

/** Path within the output folder, and content. */
export type Files = ReadonlyMap<string, string>;

const banner = "// Generated from the method tables of Parley's app-server. Do not edit.\n\n";
const jsonValue = "export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]?: JsonValue } | null;\n";

export function typescriptFiles(options: Options): Files {
  const methods = surface(options);
  const all = Object.values(methods).flat();
  const shared = namedTypes(all.filter((method) => !method.isOwn));
  const places = new Map([
    ...[...namedTypes(all).keys()].map((title) => [title, placeOf(title, !shared.has(title))] as const),
    ["ServerNotification", { folder: "", name: "ServerNotification" }] as const,
  ]);
  const files = new Map<string, string>([["serde_json/JsonValue.ts", banner + jsonValue]]);
  const add = (place: Place, schema: JsonSchema): void => void files.set(fileOf(place), fileText(place, schema, places));

  for (const [title, schema] of namedTypes(all)) add(places.get(title) ?? placeOf(title, false), schema);
  for (const [direction, list] of Object.entries(methods) as [Direction, (typeof methods)[Direction]][])
    add(
      { folder: "", name: direction },
      messageUnion(
        direction,
        list.filter((method) => !method.isOwn),
      ),
    );
  const notifications = methods.ServerNotification.filter((method) => !method.isOwn);
  add({ folder: "", name: "ServerNotificationEnvelope" }, notificationEnvelope(messageUnion("ServerNotification", notifications)));
  for (const direction of ["ClientRequest", "ServerRequest"] as const) {
    const own = methods[direction].filter((method) => method.isOwn);
    if (own.length > 0) add({ folder: "parley", name: direction }, messageUnion(direction, own));
  }
  return withIndexes(files);
}

function withIndexes(files: Map<string, string>): Files {
  const folders: readonly Folder[] = ["", "v2", "parley"];
  const names = (folder: Folder): string[] =>
    [...files.keys()].flatMap((file) => {
      const [name, dir = ""] = file.replace(/\.ts$/, "").split("/").reverse();
      return dir === folder && name !== undefined ? [name] : [];
    });
  const inner = folders.filter((folder) => folder !== "" && names(folder).length > 0);
  for (const folder of ["" as Folder, ...inner]) {
    const lines = names(folder)
      .sort()
      .map((name) => `export type { ${name} } from "./${name}";\n`);
    const spaces = folder === "" ? inner.map((name) => `export * as ${name} from "./${name}";\n`) : [];
    files.set(fileOf({ folder, name: "index" }), banner + [...lines, ...spaces].join(""));
  }
  return files;
}

const fileOf = ({ folder, name }: Place): string => `${folder === "" ? "" : `${folder}/`}${name}.ts`;

function fileText(place: Place, schema: JsonSchema, places: ReadonlyMap<string, Place>): string {
  const printer = new Printer(places);
  const { title: _, ...body } = schema;
  const type = printer.print(body);
  const up = place.folder === "" ? "./" : "../";
  const imports = [...printer.used]
    .map((used) => ({
      name: used.name,
      from: used.folder === place.folder ? `./${used.name}` : `${up}${used.folder}${used.folder === "" ? "" : "/"}${used.name}`,
    }))
    .filter(({ from }) => from !== `./${place.name}`)
    .sort((a, b) => (a.from < b.from ? -1 : 1))
    .map(({ name, from }) => `import type { ${name} } from "${from}";\n`);
  return `${banner}${imports.join("")}${imports.length > 0 ? "\n" : ""}export type ${place.name} = ${type};\n`;
}

/** Prints one type and records which others it refers to. */
class Printer {
  readonly used = new Set<{ readonly folder: string; readonly name: string }>();
  readonly #places: ReadonlyMap<string, Place>;
  readonly #json = { folder: "serde_json", name: "JsonValue" };

  constructor(places: ReadonlyMap<string, Place>) {
    this.#places = places;
  }

  print(schema: JsonSchema): string {
    const place = schema.title === undefined ? undefined : this.#places.get(schema.title);
    if (place !== undefined) {
      this.used.add(place);
      return place.name;
    }
    if (schema.anyOf !== undefined) return unique(schema.anyOf.map((member) => this.print(member))).join(" | ");
    if (schema.allOf !== undefined) return schema.allOf.map((member) => this.#group(member)).join(" & ");
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    switch (schema.type) {
      case "integer":
        return "number";
      case "array":
        return this.#array(schema);
      case "object":
        return this.#object(schema);
      case undefined:
        this.used.add(this.#json);
        return "JsonValue";
      default:
        return schema.type;
    }
  }

  #array({ items = {} }: JsonSchema): string {
    if (Array.isArray(items)) return `[${items.map((item) => this.print(item)).join(", ")}]`;
    return `Array<${this.print(items as JsonSchema)}>`;
  }

  #object({ properties, required = [], additionalProperties }: JsonSchema): string {
    if (additionalProperties !== undefined) return `{ [key in string]?: ${this.print(additionalProperties)} }`;
    const fields = Object.entries(properties ?? {}).map(
      ([name, field]) =>
        `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${this.print(field)}`,
    );
    return fields.length === 0 ? "Record<string, never>" : `{ ${fields.join(", ")} }`;
  }

  #group(schema: JsonSchema): string {
    const text = this.print(schema);
    return text.includes(" | ") ? `(${text})` : text;
  }
}

const unique = (list: readonly string[]): string[] => [...new Set(list)];
