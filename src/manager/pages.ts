/** The page's static files: a fixed list read at startup, so that no path can lead elsewhere. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

export interface Pages {
  serve(pathname: string, accepts: string): Response;
}

/** Paths without a matching file are routes of the page and get its start page. */
export function createPages(folder: string): Pages {
  const files = new Map<string, { readonly file: string; zipped?: Buffer }>();
  if (existsSync(folder))
    for (const file of filesUnder(folder)) files.set(`/${path.relative(folder, file).split(path.sep).join("/")}`, { file });
  return {
    serve(pathname, accepts) {
      const name = files.has(pathname) ? pathname : path.posix.extname(pathname) === "" ? "/index.html" : undefined;
      const entry = name === undefined ? undefined : files.get(name);
      if (name === undefined || entry === undefined) return missing(files.size === 0);
      const type = types[path.extname(name)] ?? "application/octet-stream";
      const headers: Record<string, string> = {
        "content-type": type,
        // File names under assets contain a digest of their content.
        "cache-control": name.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
        vary: "accept-encoding",
      };
      if (!/\bgzip\b/.test(accepts) || type.startsWith("image/png"))
        return new Response(new Uint8Array(readFileSync(entry.file)), { headers });
      entry.zipped ??= gzipSync(readFileSync(entry.file));
      return new Response(new Uint8Array(entry.zipped), { headers: { ...headers, "content-encoding": "gzip" } });
    },
  };
}

/** Symbolic links are skipped: they could point anywhere. */
function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(file);
    return entry.isFile() ? [file] : [];
  });
}

function missing(unbuilt: boolean): Response {
  const text = unbuilt ? "The page is not built. Run `npm run build` and start the manager again.\n" : "Not found.\n";
  return new Response(text, { status: unbuilt ? 503 : 404, headers: { "content-type": "text/plain; charset=utf-8" } });
}
