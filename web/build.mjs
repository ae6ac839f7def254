// Writes the page into the Python package, or into the folder that is given.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "src", "loadstone", "serve", "static");

await mkdir(out, { recursive: true });
await build({
  entryPoints: { explorer: join(here, "src", "main.jsx") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  loader: { ".c": "text" },
  absWorkingDir: here,
});
for (const name of ["index.html", "icon.svg"]) await copyFile(join(here, name), join(out, name));
