/**
 * `generate`: prints what a cluster needs to know of an operator, and types of kinds of others.
 *
 * Nothing is written to a cluster, and none is asked: the output is for files, for review, and for kubectl.
 */

import type { Command } from "commander";

import { defaultOperator, isOperator, type Operator } from "../../mod.ts";
import { type Declarations, declaredKinds, makeCrds, peeringCrds } from "../kits/generate/mod.ts";
import type { Host } from "../runtime/host.ts";
import { formatYaml } from "../runtime/yaml.ts";
import { CommandError, UsageError } from "./errors.ts";
import { importFiles } from "./loading.ts";
import { addExamples, CommandOption } from "./program.ts";

/** Adds the command, with a command of its own for each thing that it prints. */
export function addGenerate(program: Command, host: Host): void {
  const command = program.command("generate");
  command.summary("Print definitions, types, roles and manifests for an operator");
  command.description(command.summary());
  addExamples(command, ["generate crd handlers.ts"]);
  addCrd(command, host);
}

interface CrdFlags {
  readonly peering?: boolean;
}

function addCrd(parent: Command, host: Host): void {
  const command = parent.command("crd").argument("[files...]", "Handler files");
  command.summary("Print the CustomResourceDefinitions of kinds that are declared with schemas");
  command.description(
    `${command.summary()}\n\nThe kinds are those of the handlers, and those that the files export. Schemas are what ` +
      "resource() was given as spec and status: of zod, ArkType, valibot, or any Standard JSON Schema.",
  );
  command.addOption(new CommandOption("--peering", "Print the two peering kinds of Kopf, too: kopf.dev/v1"));
  addExamples(command, ["generate crd handlers.ts | kubectl apply -f -", "generate crd --peering"]);
  command.action(async (files: readonly string[], { peering = false }: CrdFlags) => {
    if (files.length === 0 && !peering) throw new UsageError("Name handler files, or add --peering");
    const crds = files.length === 0 ? [] : makeCrds(declaredKinds(await declarationsOf(files, host)));
    if (files.length > 0 && crds.length === 0) {
      throw new CommandError(
        `No kind with a schema is declared in ${
          files.join(", ")
        } (give resource() a "spec": a schema of zod, for example)`,
      );
    }
    print([...crds, ...peering ? peeringCrds() : []], host);
  });
}

/** What handler files declare; a file that only exports kinds will do. */
async function declarationsOf(files: readonly string[], host: Host): Promise<Declarations> {
  const modules = await importFiles(files, { host });
  const exports = modules.flatMap(({ module }) => Object.values(module));
  const operators = new Set<Operator>(exports.filter(isOperator));
  if (!defaultOperator.isEmpty) operators.add(defaultOperator);
  return { operators: [...operators], exports };
}

function print(manifests: readonly unknown[], host: Host): void {
  host.process.write("stdout", manifests.map((manifest) => formatYaml(manifest)).join("---\n"));
}
