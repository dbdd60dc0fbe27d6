/** The command line of a measurement or a tool: the comment at the top of its file is its help. */

import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs, type ParseArgsConfig } from "node:util";

/**
 * Returns what the command line says, as `parseArgs()` does. With `--help` it prints the help and ends the process (0); where
 * the command line cannot be understood, it says why (2).
 *
 * @param url Of the file whose comment is the help: `import.meta.url`.
 */
export function readOptions<const Config extends ParseArgsConfig>(
  url: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const args = process.argv.slice(2).filter((argument) => argument !== "--"); // `deno task peers -- --help` passes that on
  if (args.includes("--help") || args.includes("-h")) {
    console.log(helpOf(url));
    process.exit(0);
  }
  try {
    return parseArgs<Config>({ ...config, args });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${helpOf(url)}`);
    process.exit(2);
  }
}

function helpOf(url: string): string {
  const [, comment = ""] = /^\/\*\*([^]*?)\*\//.exec(readFileSync(fileURLToPath(url), "utf8")) ?? [];
  return comment.split("\n").map((line) => line.replace(/^ \* ?/, "").trimEnd()).join("\n").trim();
}
