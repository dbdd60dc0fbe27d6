/**
 * `dev`: everything that is needed to try handlers, in one process: an API server, the objects, the handlers, and a
 * kubeconfig for kubectl. Handlers and manifests are taken up again when they are saved.
 */

import type { Command } from "commander";

import { type Operator, webhookServer } from "../../mod.ts";
import type { Host } from "../runtime/host.ts";
import { addApiServerOptions, type ApiServerFlags, serveApi, type ServedApi } from "./apiserver.ts";
import { applyManifests, findManifestFiles, isDefinition, type Manifest, readManifests } from "./apply.ts";
import { reportError } from "./dispatch.ts";
import { importFiles, operatorsOf } from "./loading.ts";
import { LocalServices } from "./local_services.ts";
import {
  addLogOptions,
  addOperatorOptions,
  addScopeOptions,
  type LogFlags,
  loggerFor,
  type OperatorFlags,
  type ScopeFlags,
} from "./options.ts";
import { addExamples, CommandOption } from "./program.ts";
import { runOperators, type RunOperatorsOptions } from "./run.ts";
import { listenForSignals } from "./signals.ts";
import { watchSources } from "./sources.ts";
import { TypeCheck } from "./type_check.ts";

interface DevFlags extends ApiServerFlags, ScopeFlags, OperatorFlags, LogFlags {
  readonly apply?: readonly string[];
}

/** Adds the command. */
export function addDev(program: Command, host: Host): void {
  const command = program.command("dev").argument("<files...>", "Handler files");
  command.summary("Try handlers against an API server in the same process");
  command.description(
    `${command.summary()}\n\nStarts the in-process API server, applies the manifests, prints a kubeconfig for kubectl, and ` +
      "runs the handlers. Saved handlers replace the running ones (unless they are broken): watches and caches go on, and so " +
      "do daemons whose code has not changed. Saved manifests are applied again, as kubectl apply --server-side does: fields " +
      "that left a file are removed, objects are not. Types are checked beside the running operator. Admission handlers are " +
      "asked without further ado, wherever they are reached in a cluster; where the code names a Service, by that Service.",
  );
  command.addOption(
    new CommandOption(
      "--apply <yaml...>",
      "Manifests to apply: files, or folders with files; several may follow, and it may be repeated",
    ),
  );
  addLogOptions(addOperatorOptions(addScopeOptions(addApiServerOptions(command))));
  addExamples(command, ["dev handlers.ts --apply crd.yaml objects.yaml"]);
  command.action((files: readonly string[], flags: DevFlags) => dev(files, flags, host));
}

async function dev(files: readonly string[], flags: DevFlags, host: Host): Promise<void> {
  const logger = loggerFor(flags, host);
  const services = new LocalServices(host);
  const operators = withWebhooksHere(operatorsOf(await importFiles(files, { host })), services);
  const manifests = await findManifestFiles(flags.apply ?? [], host);
  using stop = listenForSignals(host);
  await using api = await serveApi(services.host, flags);
  host.process.write("stdout", welcome(api));
  async function read(changed: readonly string[]): Promise<Manifest[]> {
    return (await Promise.all(changed.map((file) => readManifests(file, host)))).flat();
  }
  const applyAll = (objects: readonly Manifest[]) =>
    applyManifests(objects, { host, logger, fetch: api.fetch });
  const apply = async (changed: readonly string[]): Promise<void> => await applyAll(await read(changed));
  let objects = await read(manifests);
  if (operators.some(convertsObjects)) {
    // Objects that the operators convert cannot be written before they serve.
    await applyAll(objects.filter(isDefinition));
    objects = objects.filter((object) => !isDefinition(object));
  } else await applyAll(objects.splice(0));
  function ready(): void {
    applyAll(objects.splice(0)).catch((error: unknown) => reportError(error, { host, flags }));
  }
  const { signal } = stop;
  const { kubeconfig } = api;
  await serveWithReload(operators, {
    host,
    logger,
    flags,
    signal,
    files,
    manifests,
    apply,
    kubeconfig,
    services,
    ready,
  });
}

/** Whether kinds of the operator have versions that its code converts. */
function convertsObjects({ declared }: Operator): boolean {
  const versions = declared.flatMap(({ resource }) => Object.values(resource?.versions ?? {}));
  return versions.some(({ convert }) => convert !== undefined);
}

/**
 * Has the API server in this process ask these operators, wherever they are reached in a cluster: an operator behind a Service
 * is asked by its Service, any other one at an address of this machine.
 */
function withWebhooksHere(operators: readonly Operator[], services: LocalServices): Operator[] {
  for (const [number, op] of operators.entries()) {
    const { declared, settings: { admission } } = op;
    const isAsked = declared.some(({ cause }) => cause === "validate" || cause === "mutate");
    if (!isAsked && !convertsObjects(op)) continue;
    const { server } = admission;
    const service = server === null || typeof server === "function" ? undefined : server.service;
    admission.server = service === undefined
      ? webhookServer({ addr: "127.0.0.1" })
      : services.serverFor(service);
    admission.managed ??= `dev-${number}.lotse.dev`;
  }
  return [...operators];
}

function welcome({ url, kubeconfig }: ServedApi): string {
  return `API server: ${url}\nTo look in: export KUBECONFIG=${kubeconfig}; kubectl get crds\n`;
}

interface ReloadOptions extends RunOperatorsOptions {
  /** Handler files. */
  readonly files: readonly string[];
  /** Manifest files. */
  readonly manifests: readonly string[];
  /** Applies manifest files that were saved. */
  readonly apply: (files: readonly string[]) => Promise<void>;
  readonly services: LocalServices;
}

/**
 * Runs operators until the signal aborts; operators of saved files take their place.
 *
 * A file that cannot be loaded, or applied, is reported, and the operators go on as before.
 *
 * @throws The error of an operator that fails.
 */
async function serveWithReload(operators: readonly Operator[], options: ReloadOptions): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  let current = start(operators, options, ended);
  using types = new TypeCheck(options.files, options);
  types.begin();
  for await (
    const changed of watchSources([...options.files, ...options.manifests], { ...options, signal })
  ) {
    const manifests = options.manifests.filter((file) => changed.includes(file));
    if (manifests.length > 0) await reapply(manifests, options);
    if (manifests.length === changed.length) continue;
    const next = await reload(options);
    if (next === undefined) continue;
    types.begin();
    if (await current.exchange(next)) {
      options.logger.info("Reloaded", { files: changed });
      continue;
    }
    options.logger.info("Reloaded: the operator starts anew, with other settings, indexes or webhooks", {
      files: changed,
    });
    await current.stop();
    current = start(next, options, ended);
  }
  await current.stop();
}

/** Operators that run. */
interface Generation {
  /** Has them go on with the handlers of others. Resolves to false where they have to be started anew. */
  exchange(next: readonly Operator[]): Promise<boolean>;
  /** Stops them gracefully. @throws The error that they failed with. */
  stop(): Promise<void>;
}

/** `ended` is aborted when they end otherwise than by `stop()`. */
function start(operators: readonly Operator[], options: ReloadOptions, ended: AbortController): Generation {
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const done = runOperators(operators, { ...options, signal });
  const end = () => stopping.signal.aborted || ended.abort();
  done.then(end, end);
  return {
    async exchange(next) {
      if (next.length !== operators.length) return false;
      for (const [number, op] of operators.entries()) {
        const other = next[number];
        if (other === undefined || !await op.exchange(other)) return false;
      }
      return true;
    },
    stop() {
      stopping.abort();
      return done;
    },
  };
}

async function reload({ host, files, flags, services }: ReloadOptions): Promise<Operator[] | undefined> {
  try {
    return withWebhooksHere(operatorsOf(await importFiles(files, { host, fresh: true })), services);
  } catch (error) {
    reportError(error, { host, flags, note: "the handlers from before keep running" });
    return undefined;
  }
}

async function reapply(files: readonly string[], { host, flags, apply }: ReloadOptions): Promise<void> {
  try {
    await apply(files);
  } catch (error) {
    reportError(error, { host, flags });
  }
}
