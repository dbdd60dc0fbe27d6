/**
 * `generate`: prints manifests of an operator, and types of kinds of other authors.
 *
 * No cluster is asked, or written to: the output is for files, for review, and for kubectl.
 */

import type { Command } from "commander";

import { declaredKinds, makeCrds, peeringCrds } from "../kits/definitions/mod.ts";
import { converterOf, isCrd, makeTypes } from "../kits/generate/mod.ts";
import type { Host } from "../runtime/host.ts";
import { parseYaml } from "../runtime/yaml.ts";
import { findManifestFiles } from "./apply.ts";
import { CommandError, describeError, UsageError } from "./errors.ts";
import { declarationsOf, defaultName } from "./declarations.ts";
import { dockerfile, type Runtime } from "./dockerfile.ts";
import { addManifests, addRbac, printYaml } from "./generate_manifests.ts";
import { addExamples, CommandOption } from "./program.ts";

/** Adds the command, with a command of its own for each thing that it prints. */
export function addGenerate(program: Command, host: Host): void {
  const command = program.command("generate");
  command.summary("Print definitions, types, roles, manifests and a Dockerfile for an operator");
  command.description(command.summary());
  addExamples(command, ["generate crd handlers.ts"]);
  addCrd(command, host);
  addTypes(command, host);
  addRbac(command, host);
  addManifests(command, host);
  addDockerfile(command, host);
}

interface CrdFlags {
  readonly peering?: boolean;
  readonly name?: string;
  readonly home?: string;
}

function addCrd(parent: Command, host: Host): void {
  const command = parent.command("crd").argument("[files...]", "Handler files");
  command.summary("Print the CustomResourceDefinitions of kinds that are declared with schemas");
  command.description(
    `${command.summary()}\n\nThe kinds are those of the handlers, and those that the files export. Schemas are what ` +
      "resource() was given as spec and status: of zod, ArkType, valibot, or any Standard JSON Schema. Where versions " +
      "are converted, the definition names the Service that `generate manifests` makes.",
  );
  command
    .addOption(new CommandOption("--peering", "Print the two peering kinds of Kopf, too: kopf.dev/v1"))
    .addOption(
      new CommandOption("--name <name>", "The operator's name, as in `manifests`, for conversions"),
    )
    .addOption(new CommandOption("--home <namespace>", "Its namespace, as in `manifests`, for conversions"));
  addExamples(command, ["generate crd handlers.ts | kubectl apply -f -", "generate crd --peering"]);
  command.action(async (files: readonly string[], flags: CrdFlags) => {
    const { peering = false, name = defaultName(files, host), home = name } = flags;
    if (files.length === 0 && !peering) throw new UsageError("Name handler files, or add --peering");
    const declarations = files.length === 0 ? { operators: [] } : await declarationsOf(files, host);
    const crds = makeCrds(
      declaredKinds(declarations),
      converterOf({ operators: declarations.operators, name, home }),
    );
    if (files.length > 0 && crds.length === 0) {
      throw new CommandError(
        `No kind with a schema is declared in ${
          files.join(", ")
        } (give resource() a "spec": a schema of zod, for example)`,
      );
    }
    printYaml([...crds, ...peering ? peeringCrds() : []], host);
  });
}

function addTypes(parent: Command, host: Host): void {
  const command = parent.command("types").argument(
    "<files...>",
    "YAML files with CustomResourceDefinitions, or folders",
  );
  command.summary("Print TypeScript for kinds of others, made of their CustomResourceDefinitions");
  command.description(
    `${command.summary()}\n\nFor each version that is served: a constant for handlers, and the types of spec and status. ` +
      "A definition that is broken is named, and passed over.",
  );
  addExamples(command, ["generate types cert-manager.crds.yaml > cert_manager.ts"]);
  command.action(async (files: readonly string[]) => {
    const { documents, failures } = await readDocuments(files, host);
    const crds = documents.filter(isCrd);
    if (crds.length === 0) {
      throw failures[0] ?? new CommandError(`No CustomResourceDefinition is in ${files.join(", ")}`);
    }
    const { text, refusals } = makeTypes(crds);
    for (const failure of [...failures, ...refusals]) {
      host.process.write("stderr", `warning: passed over: ${describeError(failure)}\n`);
    }
    host.process.write("stdout", text);
  });
}

/** Documents of several files, and why some files could not be read. */
interface Documents {
  readonly documents: readonly unknown[];
  readonly failures: readonly CommandError[];
}

/** Reads all documents of YAML files and folders; the items of a List count one by one. */
async function readDocuments(paths: readonly string[], host: Host): Promise<Documents> {
  const documents: unknown[] = [];
  const failures: CommandError[] = [];
  for (const file of await findManifestFiles(paths, host)) {
    try {
      documents.push(...parseYaml(await host.files.readText(file)).flatMap(itemsOf));
    } catch (error) {
      failures.push(new CommandError(`Cannot read "${file}"`, { cause: error }));
    }
  }
  return { documents, failures };
}

function itemsOf(document: unknown): readonly unknown[] {
  const isList = typeof document === "object" && document !== null && "items" in document;
  return isList && Array.isArray(document.items) ? document.items : [document];
}

interface DockerfileFlags {
  readonly runtime?: Runtime;
  readonly scratch?: boolean;
  readonly name?: string;
}

function addDockerfile(parent: Command, host: Host): void {
  const command = parent.command("dockerfile").argument("<files...>", "Handler files");
  command.summary("Print a Dockerfile that builds an operator into a small image without a shell");
  command.description(
    `${command.summary()}\n\nThe image holds one executable and the C library, runs as user 65532, and needs no ` +
      "writable file system. Start Docker in the folder in which you start this.",
  );
  command
    .addOption(
      new CommandOption(
        "--runtime <name>",
        "What installs packages and builds; default: as the folder's files say",
      )
        .oneOf(["deno", "bun", "node"]),
    )
    .addOption(new CommandOption("--scratch", "Begin with an empty image, in place of a distroless one"))
    .addOption(
      new CommandOption("--name <name>", "The image's name; default: that of the first file's folder"),
    );
  addExamples(command, ["generate dockerfile handlers.ts > Dockerfile"]);
  command.action(async (files: readonly string[], { runtime, scratch, name }: DockerfileFlags) => {
    for (const file of files) await checkInside(file, host);
    const text = dockerfile({
      name: name ?? defaultName(files, host),
      runtime: runtime ?? await runtimeOf(host),
      files,
      isFromScratch: scratch,
    });
    host.process.write("stdout", text);
  });
}

/** Docker sees the files of the folder that it is started in. @throws {CommandError} If a file is missing or elsewhere. */
async function checkInside(file: string, { files, process }: Host): Promise<void> {
  if (file.startsWith("/") || file.split("/").includes("..")) {
    throw new CommandError(
      `Cannot build "${file}" in an image: name it by its path below this folder, which is all that Docker sees`,
    );
  }
  if (await files.exists(files.resolve(process.cwd(), file))) return;
  throw new CommandError(`Cannot build "${file}" in an image: there is no such file in "${process.cwd()}"`);
}

/** Files that show which runtime develops a project. */
const SIGNS: readonly (readonly [file: string, runtime: Runtime])[] = [
  ["deno.json", "deno"],
  ["deno.jsonc", "deno"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["bunfig.toml", "bun"],
  ["package.json", "node"],
];

/** Default: the runtime that runs this command. */
async function runtimeOf({ files, process, name }: Host): Promise<Runtime> {
  for (const [file, runtime] of SIGNS) {
    if (await files.exists(files.resolve(process.cwd(), file))) return runtime;
  }
  return name === "deno" || name === "bun" ? name : "node";
}
