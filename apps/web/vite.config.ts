/** Builds the page into dist/web: hashed files, nothing inline, so that the strict content policy holds. */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "/",
  plugins: [react()],
  cacheDir: here("../../node_modules/.cache/vite"),
  build: {
    outDir: here("../../dist/web"),
    emptyOutDir: true,
    target: "es2023",
    // An inlined asset would be a data: script or style, which the content policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      input: { index: here("index.html"), sw: here("src/worker/main.ts") },
      // Browsers find a service worker by its fixed address, which is also what it may serve: everything below it.
      output: { entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
});
