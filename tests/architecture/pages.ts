/** What the pages in docs/ and the READMEs say that can be checked: their links, and their code. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { filesBelow, readTree, ROOT } from "./tree.ts";

/** All Markdown files of the repository. */
export function pages(): string[] {
  return ["README.md", "CHANGELOG.md", ...filesBelow("docs/", ".md"), ...filesBelow("examples/", ".md")];
}

/** How long a line of prose may be. */
const WIDTH = 120;

/** Lines that are longer than 120 characters. Rows of tables, blocks of code, and lines of one word cannot be wrapped. */
export function findLongLines(page: string, text: string): string[] {
  let isCode = false;
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isProse = !isCode && !/^\s*(\||#)/.test(line) && line.trim().includes(" ");
    return isProse && [...line].length > WIDTH ? [`${page}:${index + 1}: ${line.slice(0, 60)}…`] : [];
  });
}

/** Links of a page that lead nowhere: to no file, or to no heading of it. */
export function findDeadLinks(page: string, text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return [];
    const { pathname, hash } = new URL(link, ROOT + page);
    if (!link.startsWith("#") && !existsSync(pathname)) return [`${page}: ${link}: there is no such file`];
    if (hash === "") return [];
    const target = link.startsWith("#") ? text : readTree(pathname.slice(new URL(ROOT).pathname.length));
    return headingsOf(target).includes(hash.slice(1)) ? [] : [`${page}: ${link}: there is no such heading`];
  });
}

/** Fenced blocks and code within lines link nothing. */
function withoutCode(text: string): string {
  return text.replace(/```[^]*?```/g, "").replace(/`[^`\n]*`/g, "");
}

/** Headings as GitHub's links name them: `## Kinds that come and go` is "kinds-that-come-and-go". */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
  );
}

/** Messages that a page quotes: code of several words that begins like a sentence, and is in no block. */
export function quotedMessages(page: string): string[] {
  const codes = [...page.replace(/```[^]*?```/g, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
  return codes.filter((code) => /^[A-Z][\w']* \w+:? /.test(code));
}

/** The parts of a message that are the same each time: without names, places and numbers. */
export function constantsOf(message: string): string[] {
  return message.split(/"[^"]*"|…|\S*\/\S*|\d[\d.:]*|\S+\.example\.com/).map((part) =>
    part.replace(/^[\s,]+|[\s,]+$/g, "")
  )
    .filter((part) => part.length > 3);
}

/** The `ts` blocks of a page, or of a module's comments. */
export function programsOf(text: string): string[] {
  return [...text.matchAll(/^( \*|  *\*)? *```ts\n([^]*?)^\1? *```/gm)].map(([, margin, program = ""]) =>
    margin === undefined ? program : program.replaceAll(/^ *\* ?/gm, "")
  );
}

/** Has Deno check programs, by name, each as a module of its own, and files of the tree; gives what it complains of, or "". */
export function typeCheck(programs: ReadonlyMap<string, string>, more: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), "lotse-pages-"));
  const files = [...programs].map(([name, text]) => {
    const file = join(folder, `${name.replaceAll(/[^\w.]/g, "_")}.ts`);
    // A block that neither imports nor exports anything would be a script.
    writeFileSync(file, `${text}\nexport {};\n`);
    return file;
  });
  const config = fileURLToPath(ROOT + "deno.json");
  const options = { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } } as const;
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      "check",
      "-q",
      "--no-lock",
      "--config",
      config,
      ...files,
      ...more.map((path) => fileURLToPath(ROOT + path)),
    ],
    options,
  );
  rmSync(folder, { recursive: true });
  return status === 0 ? "" : stderr || `deno check ended with ${status}`;
}
