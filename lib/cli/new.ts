/**
 * `new`: a project with everything that an operator needs, which runs and passes its tests as it is.
 *
 * Its files are texts in `project_files.ts`. They are written all, or none: into a folder that is hidden until they are whole.
 */

import type { Command } from "commander";

import type { Host } from "../runtime/host.ts";
import { ownDoors } from "../runtime/modules.ts";
import { VERSION } from "../runtime/version.ts";
import type { Runtime } from "./dockerfile.ts";
import { CommandError, describeError, UsageError } from "./errors.ts";
import { addExamples, CommandOption } from "./program.ts";
import { type Manner, nextSteps, projectFiles, type ProjectOptions, setUpCommands } from "./project_files.ts";
import { listenForSignals } from "./signals.ts";

interface NewFlags {
  readonly runtime?: Runtime;
  readonly kind?: string;
  readonly group?: string;
  readonly manner?: Manner;
  readonly lotse?: string;
  readonly install?: boolean;
}

/** Adds the command. */
export function addNew(program: Command, host: Host): void {
  const command = program.command("new").argument(
    "<folder>",
    "The project's folder; its name is the operator's",
  );
  command.summary("Make a new operator project");
  command.description(
    `${command.summary()}\n\nA kind with a schema, handlers, a test that takes a second, CI, a Dockerfile and a README; ` +
      "definition, rights and manifests are made of the code. The folder must be empty, or not there yet.",
  );
  command
    .addOption(
      new CommandOption("--runtime <name>", "What develops and tests it; default: what runs this")
        .oneOf(["deno", "bun", "node"]),
    )
    .addOption(new CommandOption("--kind <kind>", "The kind to handle; default: after the folder's name"))
    .addOption(new CommandOption("--group <group>", "The kind's API group; default: example.com"))
    .addOption(
      new CommandOption(
        "--manner <name>",
        "Begin with handlers of what has changed, or with a reconcile that says what should be; default: handlers",
      ).oneOf(["handlers", "reconcile"]),
    )
    .addOption(
      new CommandOption(
        "--lotse <path>",
        "Take Lotse from there: a checkout, or the package that `npm run package` makes in one; it is copied into the project; " +
          "default: as where this comes from",
      ),
    );
  command.option("--install", "Install its packages, too, and write its manifests");
  addExamples(command, [
    "new greeter --install",
    "new greeter --runtime bun --kind Greeting --group mine.dev",
  ]);
  command.action((folder: string, flags: NewFlags) => makeProject(folder, flags, host));
}

async function makeProject(folder: string, flags: NewFlags, host: Host): Promise<void> {
  const { files, process } = host;
  const path = files.resolve(process.cwd(), folder);
  const runtime = flags.runtime ?? (host.name === "deno" || host.name === "bun" ? host.name : "node");
  const options = namesOf(path.split(/[/\\]/).at(-1) ?? "", flags);
  const source = await lotseOf(flags.lotse, host);
  await checkEmpty(folder, path, host);
  using stop = listenForSignals(host);
  const { manner = "handlers" } = flags;
  const work = await files.makeTempFolder("lotse-new-");
  try {
    const packed = source?.endsWith(".tgz")
      ? source
      : source && await pack(source, work, { host, signal: stop.signal });
    const lotse = packed && (runtime === "deno" ? VENDORED : `./${nameOf(packed)}`);
    const texts = projectFiles({ ...options, manner, runtime, version: VERSION, lotse });
    await writeAll(texts, { folder, path, packed, unpacks: runtime === "deno", host, signal: stop.signal });
  } finally {
    await files.remove(work);
  }
  if (flags.install) {
    for (const line of setUpCommands(runtime)) await runIn(folder, { path, line, host, signal: stop.signal });
  }
  process.write("stdout", nextSteps({ runtime, folder, isInstalled: flags.install === true }));
}

interface WriteOptions {
  /** As given. */
  readonly folder: string;
  /** Absolute path of the project. */
  readonly path: string;
  /** Absolute path of Lotse's package, which comes along: Docker and other machines see the project's folder alone. */
  readonly packed?: string;
  /** Whether it comes along as a folder: Deno takes no packed files. */
  readonly unpacks: boolean;
  readonly host: Host;
  readonly signal: AbortSignal;
}

/** Where the package stands in a project of Deno. */
const VENDORED = "./vendor/lotse";

/**
 * The beginning of the name of the folder in which a project is written. A folder of that name that is there already was left
 * by a `new` that was killed.
 */
const UNFINISHED = ".lotse-new";

async function writeAll(texts: ReadonlyMap<string, string>, options: WriteOptions): Promise<void> {
  const { folder, path, packed, unpacks, host: { files }, signal } = options;
  const wasThere = await files.exists(path);
  let top = path; // the first folder that is missing
  while (!(await files.exists(files.folderOf(top)))) top = files.folderOf(top);
  const name = top.slice(files.folderOf(top).length).replace(/^[/\\]/, "");
  const hidden = wasThere
    ? files.resolve(path, UNFINISHED)
    : files.resolve(files.folderOf(top), `${UNFINISHED}-${name}`);
  await files.remove(hidden);
  try {
    const work = `${hidden}${path.slice(top.length)}`;
    for (const [file, text] of texts) {
      if (signal.aborted) {
        throw new CommandError(`Cannot make "${folder}": interrupted, and nothing was written`);
      }
      await files.writeText(files.resolve(work, file), text);
    }
    if (packed !== undefined && unpacks) await unpack(packed, files.resolve(work, VENDORED), options.host);
    else if (packed !== undefined) await files.copy(packed, files.resolve(work, nameOf(packed)));
    if (!wasThere) return await files.rename(hidden, top);
    for (const entry of await files.list(work)) {
      await files.rename(files.resolve(work, entry), files.resolve(path, entry));
    }
  } finally {
    await files.remove(hidden);
  }
}

interface RunOptions {
  /** Absolute path of the project. */
  readonly path: string;
  /** Such as "npm install". */
  readonly line: string;
  readonly host: Host;
  readonly signal: AbortSignal;
}

/** The project is whole before; where this fails, it stays. */
async function runIn(folder: string, { path, line, host, signal }: RunOptions): Promise<void> {
  const [command = "", ...args] = line.split(" ");
  const advice = `run "${line}" in it`;
  const result = await host.process.run(command, args, { cwd: path, signal }).catch((error: unknown) => {
    const reason = signal.aborted ? "was interrupted" : `cannot be run: ${describeError(error)}`;
    throw new CommandError(`Made ${folder}, but "${line}" ${reason} (${advice})`);
  });
  if (result.code === 0) return;
  const said = `${result.stdout}\n${result.stderr}`.trim();
  throw new CommandError(
    `Made ${folder}, but "${line}" failed with exit code ${result.code} (${advice})\n${said}`,
  );
}

/** An empty folder may already be a repository. */
async function checkEmpty(folder: string, path: string, { files }: Host): Promise<void> {
  if (!(await files.exists(path))) return;
  const names = await files.list(path).catch(() => {
    throw new CommandError(`Cannot make "${folder}": there is a file of that name`);
  });
  const [first] = names.filter((name) => name !== ".git" && name !== UNFINISHED);
  if (first === undefined) return;
  throw new CommandError(
    `Cannot make "${folder}": the folder is not empty, "${first}" is in it (name another folder)`,
  );
}

/** Source: Kubernetes, "Object Names and IDs", RFC 1035 label names; CustomResourceDefinition, names.kind and group. */
function namesOf(name: string, flags: NewFlags): Pick<ProjectOptions, "name" | "kind" | "plural" | "group"> {
  if (!/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) {
    throw new UsageError(
      `Cannot call an operator "${name}": Kubernetes wants lower-case letters, digits and dashes, a letter first, at most ` +
        `63 of them${suggestion(name)}`,
    );
  }
  const { kind = toKind(name), group = "example.com" } = flags;
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)) {
    throw new UsageError(
      `Cannot call a kind "${kind}": it takes letters and digits, a capital first, such as "Greeting"`,
    );
  }
  const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  if (!new RegExp(`^${label}(\\.${label})+$`).test(group) || group.length > 200) {
    throw new UsageError(
      `Cannot call an API group "${group}": give a domain of yours, such as "example.com"`,
    );
  }
  return { name, kind, plural: toPlural(kind.toLowerCase()), group };
}

function suggestion(name: string): string {
  const better = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+|-+$/g, "").slice(0, 63);
  return better === "" ? "" : ` (such as "${better}")`;
}

/** "TeaPot" of "tea-pot-operator". */
function toKind(name: string): string {
  const words = name.split("-").filter((word) => word !== "");
  if (words.length > 1 && words.at(-1) === "operator") words.pop();
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function toPlural(singular: string): string {
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  return /[^aeiou]y$/.test(singular) ? singular.replace(/y$/, "ies") : `${singular}s`;
}

/** Returns the absolute path of a packed file or of a checkout, from which Lotse comes; none: from npm. */
async function lotseOf(given: string | undefined, host: Host): Promise<string | undefined> {
  const { files, process } = host;
  if (given === undefined) return await installedFrom(host) ?? await ownCheckout(host);
  const path = files.resolve(process.cwd(), given);
  if (!(await files.exists(path))) {
    throw new CommandError(`Cannot take Lotse from "${given}": there is no such file`);
  }
  if (path.endsWith(".tgz") || await isCheckout(path, host)) return path;
  throw new CommandError(
    `Cannot take Lotse from "${given}": give a checkout, or the .tgz that "npm run package" makes in one`,
  );
}

async function isCheckout(path: string, { files }: Host): Promise<boolean> {
  return await files.exists(files.resolve(path, "tools/package.ts"));
}

/** Returns the checkout that this very program runs from. */
async function ownCheckout(host: Host): Promise<string | undefined> {
  const door = ownDoors().get("@lotse/lotse");
  const path = door === undefined ? undefined : decodeURIComponent(new URL(".", door).pathname);
  return path !== undefined && await isCheckout(path, host) ? path : undefined;
}

/** Makes the package of a checkout, by the runtime that runs this. Returns its path. */
async function pack(
  checkout: string,
  out: string,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<string> {
  const [program = "node"] = host.process.self;
  const args = [...host.name === "deno" ? ["run", "-A"] : [], "tools/package.ts", "--out", out];
  const { code, stdout, stderr } = await host.process.run(program, args, { cwd: checkout, signal });
  const path = stdout.trim().split("\n").at(-1);
  if (code === 0 && path?.endsWith(".tgz")) return path;
  throw new CommandError(`Cannot make the package of "${checkout}": ${stderr.trim()}`);
}

/** `tar` is a part of each system that Lotse runs on. It wants a folder that is there. */
async function unpack(packed: string, folder: string, { files, process }: Host): Promise<void> {
  await files.writeText(files.resolve(folder, "package.json"), ""); // one of its files, which is replaced
  const { code, stderr } = await process.run("tar", ["xzf", packed, "-C", folder, "--strip-components=1"]);
  if (code !== 0) throw new CommandError(`Cannot unpack "${packed}": ${stderr.trim()}`);
}

function nameOf(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? "";
}

/** Returns the packed file that the package.json of the folder names, from which this Lotse was installed. */
async function installedFrom({ files, process }: Host): Promise<string | undefined> {
  const manifest = files.resolve(process.cwd(), "package.json");
  if (!(await files.exists(manifest))) return undefined;
  const found = /"@lotse\/lotse":\s*"(?:file:)?([^"]+\.tgz)"/.exec(await files.readText(manifest))?.[1];
  const path = found === undefined ? undefined : files.resolve(process.cwd(), found);
  return path !== undefined && await files.exists(path) ? path : undefined;
}
