/**
 * The figures of docs/architecture.md that are counted in the sources. Figures of time and memory are measured, and not here.
 *
 *   deno run -A tests/architecture/figures.ts
 *
 * prints them as the page has them.
 */

import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { namesIn } from "./surface.ts";
import { filesBelow, readTree, ROOT } from "./tree.ts";

/** A row of the page. */
export interface Figure {
  /** The row's first cell. */
  readonly name: string;
  /** The first numbers of the row's cell "now". */
  readonly counted: readonly number[];
  /** By how much the page may differ, as a share: many commits move the figure a little. Default: not at all. */
  readonly slack?: number;
}

/** Counts all figures. The way of a creation is counted by `bench/way`, in a process of its own. */
export function countFigures(): Figure[] {
  const core = filesBelow("lib/", ".ts").filter((path) => !/^lib\/(cli|kits)\//.test(path));
  const callers = core.filter((path) => /\battemptOnce\(handler/.test(readTree(path)));
  const ledgers = core.filter((path) =>
    path.startsWith("lib/handlers/") &&
    /\b(attempts|retries): .* \+ 1|\battempts = .* \+ 1/.test(readTree(path))
  );
  const way = askWay();
  return [
    {
      name: "hand-written lines of the core",
      counted: [core.reduce((sum, path) => sum + readTree(path).split("\n").length - 1, 0)],
      slack: 0.1,
    },
    { name: "assemblies of a call", counted: [callers.length] },
    { name: "ledgers of retries", counted: [ledgers.length] },
    { name: "fields of `ObjectState`", counted: [fieldsOf("ObjectState", "lib/execution/object_state.ts")] },
    {
      name: "functions, files, calls before a create handler (notes are looked for in two places by default)",
      counted: numbersIn(way, /Before the handler: (\d+) \w+ in (\d+) files, (\d+)/),
      slack: 0.1,
    },
    {
      name: "calls afterwards (writes and their echoes)",
      counted: numbersIn(way, /Afterwards: .* (\d+) calls/),
      slack: 0.1,
    },
    { name: "frames above a create handler", counted: numbersIn(way, /Above the handler: (\d+)/) },
    { name: "names in hand-written doors; at the main door", counted: doors(), slack: 0.05 },
  ];
}

function askWay(): string {
  const script = fileURLToPath(`${ROOT}bench/way/run.ts`);
  const { stdout, stderr } = spawnSync(process.execPath, ["run", "-A", "--no-check", script], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  if (!stdout.includes("Above the handler")) throw new Error(`bench/way failed: ${stderr}`);
  return stdout;
}

function numbersIn(text: string, pattern: RegExp): number[] {
  return (pattern.exec(text) ?? []).slice(1).map(Number);
}

/** Counts the fields of a class up to its constructor. */
export function fieldsOf(name: string, path: string): number {
  const text = readTree(path);
  const declared = text.slice(text.indexOf(`export class ${name} {`), text.indexOf("  constructor("));
  return [...declared.matchAll(/^ {2}(readonly )?(#?\w+)(?=[:= ])/gm)].length;
}

/** Counts the different names behind all doors but the generated one, and the ones behind the main door. */
function doors(): number[] {
  const { exports } = JSON.parse(readTree("deno.json")) as { readonly exports: Record<string, string> };
  const written = Object.entries(exports).filter(([door]) => door !== "./kubernetes");
  const names = new Set(written.flatMap(([, path]) => namesIn(readTree(path))));
  return [names.size, namesIn(readTree("mod.ts")).length];
}

if (import.meta.main) {
  for (const { name, counted } of countFigures()) console.log(`${name}: ${counted.join("; ")}`);
}
