/**
 * `build`: makes one executable of handler files, the framework and a runtime.
 *
 * A temporary module imports the files and starts them as `executable.ts` says; a compiler does the rest.
 */

import type { Command, Invocation } from "./command.ts";
import { COMPILERS } from "./compilers.ts";
import { CommandError, EXIT } from "./errors.ts";
import { sourcesOf } from "./sources.ts";

/** The command. */
export const BUILD: Command = {
  name: "build",
  summary: "Pack handlers into one executable",
  details: [
    "The executable takes the options of `run`, without FILES. It needs the system's C library and /proc, and nothing " +
    "else. Bun is taken from where it is installed, or from npm; for Deno, `deno` must be installed.",
  ],
  files: "required",
  options: [
    { flags: "-o, --output <file>", summary: "The executable to write", required: true },
    { flags: "--backend <name>", summary: "Whose runtime goes in; default: bun", choices: ["bun", "deno"] },
    {
      flags: "--target <name>",
      summary: "For another system, in the backend's words, such as bun-linux-arm64",
    },
  ],
  examples: ["build handlers.ts -o operator", "build handlers.ts -o operator --target bun-linux-arm64"],
  run,
};

async function run({ host, files, options }: Invocation): Promise<number> {
  const paths = files.map((file) => host.files.resolve(host.process.cwd(), file));
  for (const [index, path] of paths.entries()) {
    if (!(await host.files.exists(path))) {
      throw new CommandError(`Cannot build "${files[index]}": there is no such file`);
    }
  }
  const output = host.files.resolve(host.process.cwd(), options.text("output") ?? "");
  const backend = options.text("backend") === "deno" ? "deno" : "bun";
  const folder = await host.files.makeTempFolder("lotse-build-");
  try {
    const entry = host.files.resolve(folder, "entry.ts");
    await host.files.writeText(entry, entryModule({ output, files, paths }));
    const sources = await sourcesOf(paths, host);
    await COMPILERS[backend]({ host, entry, sources, output, target: options.text("target") });
  } finally {
    await host.files.remove(folder);
  }
  host.process.write("stderr", `Built ${output}\n`);
  return EXIT.done;
}

interface EntryOptions {
  readonly output: string;
  /** As given. */
  readonly files: readonly string[];
  /** The same, absolute. */
  readonly paths: readonly string[];
}

/** Gives the module with which the executable starts. */
function entryModule({ output, files, paths }: EntryOptions): string {
  const name = output.split(/[/\\]/).at(-1) ?? "operator";
  const listed = files.map((path, index) =>
    `{ path: ${JSON.stringify(path)}, load: () => import(${JSON.stringify(paths[index])}) }`
  );
  return [
    `import { startExecutable } from ${JSON.stringify(startModule())};`,
    `startExecutable({ name: ${JSON.stringify(name)}, files: [${listed.join(", ")}] });`,
    "",
  ].join("\n");
}

/** Where executable.ts (or .js, as packed for npm) lies: next to this file. */
function startModule(): string {
  const url = new URL(import.meta.url);
  const start = new URL(url.pathname.endsWith(".ts") ? "./executable.ts" : "./executable.js", url);
  return start.protocol === "file:" ? decodeURIComponent(start.pathname) : start.href;
}
