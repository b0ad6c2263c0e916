/** Builds the panel into dist/vscode/panel: one script, one style sheet, and chunks that are loaded when they are needed. */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "./",
  plugins: [react()],
  cacheDir: here("../../node_modules/.cache/vite-vscode"),
  build: {
    outDir: here("../../dist/vscode/panel"),
    emptyOutDir: true,
    target: "es2023",
    // An inlined asset would be a data: script or style, which the content policy refuses.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      input: { panel: here("src/panel/main.tsx") },
      output: { entryFileNames: "panel.js", chunkFileNames: "chunks/[name]-[hash].js", assetFileNames: "panel[extname]" },
    },
  },
});
