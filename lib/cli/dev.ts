/**
 * `dev`: everything that is needed to try handlers, in one process: an API server, the objects, the handlers, and a
 * kubeconfig for kubectl. Handlers and manifests are taken up again when they are saved.
 */

import { APISERVER, serveApi, type ServedApi } from "./apiserver.ts";
import { applyManifests } from "./applying.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./errors.ts";
import { importFiles, operatorsOf } from "./loading.ts";
import { findManifestFiles, readManifests } from "./manifests.ts";
import { serveWithReload } from "./reloading.ts";
import { loggerFor, LOGGING_OPTIONS, OPERATOR_OPTIONS, SCOPE_OPTIONS } from "./shared_options.ts";
import { listenForSignals } from "./signals.ts";

/** The command. */
export const DEV: Command = {
  name: "dev",
  summary: "Try handlers against an API server in the same process",
  details: [
    "Starts the in-process API server, applies the manifests, prints a kubeconfig for kubectl, and runs the handlers. " +
    "Saved handlers replace the running ones (unless they are broken), saved manifests are applied again.",
  ],
  files: "required",
  options: [
    {
      flags: "--apply <yaml...>",
      summary: "Manifests to apply: files, or folders with files; several may follow, and it may be repeated",
      repeatable: true,
    },
    ...APISERVER.options,
    ...SCOPE_OPTIONS,
    ...OPERATOR_OPTIONS,
    ...LOGGING_OPTIONS,
  ],
  examples: ["dev handlers.ts --apply crd.yaml objects.yaml"],
  run,
};

async function run({ host, files, options }: Invocation): Promise<number> {
  const logger = loggerFor(options, host);
  const operators = operatorsOf(await importFiles(files, { host }));
  const manifests = await findManifestFiles(options.list("apply"), host);
  using stop = listenForSignals(host);
  await using api = await serveApi(host, {
    port: options.number("port"),
    kubeconfig: options.text("kubeconfig"),
  });
  host.process.write("stdout", welcome(api));
  async function apply(changed: readonly string[]): Promise<void> {
    const objects = await Promise.all(changed.map((file) => readManifests(file, host)));
    await applyManifests(objects.flat(), { host, logger, fetch: api.fetch });
  }
  await apply(manifests);
  const { signal } = stop;
  await serveWithReload(operators, {
    host,
    logger,
    options,
    signal,
    files,
    manifests,
    apply,
    kubeconfig: api.kubeconfig,
  });
  return EXIT.done;
}

function welcome({ url, kubeconfig }: ServedApi): string {
  return `API server: ${url}\nTo look in: export KUBECONFIG=${kubeconfig}; kubectl get crds\n`;
}
