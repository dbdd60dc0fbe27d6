/**
 * Writes the pages of docs/reference from the code: `deno task reference`. With `--check`, it writes nothing, and fails where
 * a page is not as the code says.
 *
 * What stands in the pages are the doc comments and the help texts themselves: mend them there.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { main } from "../lib/cli/main.ts";
import { virtualHost } from "../lib/runtime/virtual/host.ts";
import { readOptions } from "./options.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const HEAD = "<!-- Written by `deno task reference`: change the code, and run it. -->";

/** What `deno doc --json` tells of a member, as far as it is used here. */
interface Member {
  readonly name: string;
  readonly location: { readonly filename: string; readonly line: number };
  readonly jsDoc?: { readonly doc?: string };
}

interface Declaration {
  readonly kind: string;
  readonly jsDoc?: { readonly doc?: string };
  readonly location: Member["location"];
  readonly def?: {
    readonly extends?: readonly unknown[];
    readonly methods?: readonly Member[];
    readonly properties?: readonly Member[];
  };
}

interface NamedSymbol {
  readonly name: string;
  readonly declarations: readonly Declaration[];
}

const pages = new Map([
  ["docs/reference/settings.md", settingsPage()],
  ["docs/reference/api.md", apiPage()],
  ["docs/reference/commands.md", await commandsPage()],
]);
const stale = [...pages].filter(([path, text]) =>
  !existsSync(join(ROOT, path)) || readFileSync(join(ROOT, path), "utf8") !== text
).map(([path]) => path);
if (readOptions(import.meta.url, { options: { check: { type: "boolean" } } }).values.check) {
  if (stale.length > 0) {
    console.error(`Not as the code says: ${stale.join(", ")} (run \`deno task reference\`)`);
  }
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const path of stale) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), pages.get(path) ?? "");
    console.log(path);
  }
}

function settingsPage(): string {
  const symbols = symbolsOf("lib/settings/sections.ts");
  const sections = membersOf(symbols, "Settings").map((section) => {
    const rows = membersOf(symbols, typeOf(section)).map((member) => {
      const [text = "", value = ""] = proseOf(member).split(/ ?Default: /);
      return `| \`${member.name}\` | \`${typeOf(member).replaceAll("|", "\\|")}\` | ${text} | ${
        value.replace(/\.$/, "")
      } |`;
    });
    return `## ${section.name}\n\n${
      proseOf(section)
    }\n\n| setting | type | means | default |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `${HEAD}\n\n# Settings\n\nSettings are given to \`operator({ section: { setting } })\`; startup handlers may change them. Times are in seconds; \`null\` means "no limit" where it is allowed.\n\n${
    sections.join("\n")
  }`;
}

function apiPage(): string {
  const symbols = symbolsOf("lib/registry/api.ts", "lib/client/client.ts");
  const api = symbols.get("Api") ?? fail("Api");
  const calls = membersOf(symbols, "Api").map((member) =>
    `## ${member.name}\n\n${proseOf(member)}\n\n\`\`\`ts ignore\n${signatureOf(member)}\n\`\`\`\n`
  );
  const named = new Set<string>();
  collect(membersOf(symbols, "Api").map(signatureOf).join("\n"), { symbols, named });
  const types = [...named].filter((name) => name !== "Api").sort().map((name) => {
    const rows = membersOf(symbols, name).map((member) =>
      `| \`${member.name}\` | ${proseOf(member).replaceAll("|", "\\|")} |`
    );
    const about = symbols.get(name)?.[0]?.jsDoc?.doc ?? "";
    const others = parentsOf(symbols, name).map((each) => `[${each}](#${each.toLowerCase()})`);
    const more = others.length === 0
      ? ""
      : ` Beside these, what ${others.join(" and ")} ${others.length > 1 ? "have" : "has"}.`;
    return `### ${name}\n\n${inOneLine(about)}${more}\n\n| | |\n|---|---|\n${rows.join("\n")}\n`;
  });
  return `${HEAD}\n\n# op.api\n\n${inOneLine(api[0]?.jsDoc?.doc ?? "")}\n\n${
    calls.join("\n")
  }\n## Their arguments\n\n${types.join("\n")}`;
}

/** The interfaces with documented members that a text names, and those that these name. */
function collect(
  text: string,
  into: { readonly symbols: ReadonlyMap<string, readonly Declaration[]>; readonly named: Set<string> },
): void {
  for (const [word] of text.matchAll(/\b[A-Z]\w+/g)) {
    if (into.named.has(word) || membersOf(into.symbols, word).length === 0) continue;
    into.named.add(word);
    const parents = parentsOf(into.symbols, word).join(" ");
    collect(`${parents}\n${membersOf(into.symbols, word).map(signatureOf).join("\n")}`, into);
  }
}

async function commandsPage(): Promise<string> {
  const chapters: string[] = [];
  await describe([]);
  return `${HEAD}\n\n# Commands\n\nWhat each command says of itself. [The command line](../cli.md) explains it.\n\n${
    chapters.join("\n")
  }`;

  async function describe(path: readonly string[]): Promise<void> {
    const host = virtualHost();
    await main(host, [...path, "--help"]);
    const help = host.process.stdout.trimEnd();
    chapters.push(`## ${["lotse", ...path].join(" ")}\n\n\`\`\`text\n${help}\n\`\`\`\n`);
    const [, commands = ""] = /^Commands:\n([^]*?)\n(?:\n|$)/m.exec(help) ?? [];
    const names = [...commands.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = ""]) => name).filter((name) =>
      name !== "help"
    );
    for (const name of names) await describe([...path, name]);
  }
}

function symbolsOf(...files: readonly string[]): Map<string, readonly Declaration[]> {
  const found = new Map<string, readonly Declaration[]>();
  for (const file of files) {
    const { status, stdout, stderr } = spawnSync("deno", ["doc", "--json", file], {
      cwd: ROOT,
      encoding: "utf8",
      maxBuffer: 1e9,
    });
    if (status !== 0) throw new Error(stderr);
    const { nodes } = JSON.parse(stdout) as { nodes: Record<string, { symbols?: readonly NamedSymbol[] }> };
    for (const { symbols = [] } of Object.values(nodes)) {
      for (const { name, declarations } of symbols) found.set(name, declarations);
    }
  }
  return found;
}

/** Methods and properties of an interface, in the order of the source. */
function membersOf(symbols: ReadonlyMap<string, readonly Declaration[]>, name: string): Member[] {
  const [declaration] = symbols.get(name) ?? [];
  const { methods = [], properties = [] } = declaration?.def ?? {};
  return [...methods, ...properties].sort((one, other) => one.location.line - other.location.line);
}

/** The interfaces that one extends, in whole or in part. */
function parentsOf(symbols: ReadonlyMap<string, readonly Declaration[]>, name: string): string[] {
  const { extends: parents = [] } = symbols.get(name)?.[0]?.def ?? {};
  const words = JSON.stringify(parents).match(/\b[A-Z]\w+/g) ?? [];
  return [...new Set(words)].filter((word) => membersOf(symbols, word).length > 0);
}

/** A member as it stands in the source, without its comment. */
function signatureOf({ location: { filename, line } }: Member): string {
  const lines = readFileSync(fileURLToPath(filename), "utf8").split("\n").slice(line); // lines count from 0
  let depth = 0;
  const end = lines.findIndex((text) => {
    for (const sign of text.replaceAll("=>", "")) {
      depth += "([{<".includes(sign) ? 1 : ")]}>".includes(sign) ? -1 : 0;
    }
    return depth === 0 && text.endsWith(";");
  });
  return lines.slice(0, end + 1).map((text) => text.replace(/^ {2}/, "")).join("\n");
}

function typeOf(member: Member): string {
  const [, type = ""] = /^[^:]+:\s*([^]*);$/.exec(inOneLine(signatureOf(member))) ?? [];
  return type;
}

function proseOf({ jsDoc }: Member): string {
  return inOneLine(jsDoc?.doc ?? "").replace(/ Source: .*$/, "");
}

function inOneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}

function fail(name: string): never {
  throw new Error(`There is no ${name} in the code any more`);
}
