/**
 * The life of an operator: start, log in, serve until told to stop, clean up.
 *
 * Startup handlers come before anything that could reach the API server, and see indexes that are empty. Once they have
 * succeeded the cleanup handlers run whatever happens, after everything else has stopped, while the API can still be used.
 * Source: Kopf, docs/startup; Kopf, docs/embedding.
 */

import type { Credentials } from "../client/auth/connection_info.ts";
import { credentialsFrom, login } from "../client/auth/login.ts";
import { Vault } from "../client/auth/vault.ts";
import type { Client } from "../client/client.ts";
import { createClient } from "../client/object_client.ts";
import { type Projection, projectionOf } from "../client/projection.ts";
import { Transport, type TransportOptions } from "../client/transport/transport.ts";
import { currentPermit } from "../execution/invoke.ts";
import { checkCertificateTimes } from "../handlers/admission/webhook_secret.ts";
import { checkWebhookNames } from "../handlers/admission/webhook_configuration.ts";
import type { Ledger } from "../engines/ledger.ts";
import type { Metrics } from "../engines/metrics/metrics.ts";
import { parseProbeAddress, type Route, serveProbes } from "../engines/probing.ts";
import type { Resource } from "../model/resource.ts";
import { formatSelector } from "../model/selector.ts";
import type { Logger } from "../runtime/logging.ts";
import { declaredIn } from "../handlers/declared_handlers.ts";
import { convertedIn } from "../registry/declared.ts";
import { ACTIVITY } from "../handlers/activity/activity_handler.ts";
import { ADMISSION } from "../handlers/admission/admission_handler.ts";
import type { Registry } from "../handlers/registry.ts";
import { keptPartsFor } from "../settings/server_selectors.ts";
import { checkSettings, type Settings } from "../settings/settings.ts";
import { Activities } from "./activities.ts";
import { narrowWatches } from "./cache_view.ts";
import { type Components, createComponents, type RunningOptions } from "./components.ts";
import type { Extras, Recording } from "./extras.ts";
import { OperatorRun } from "./operator_run.ts";
import { loadReplicas } from "./responsibility.ts";
import { answerQuestions, type Answers } from "./questions.ts";
import { handleStrayErrors } from "./stray_errors.ts";
import { selfCheck } from "./self_check.ts";
import { setLevel, writeHeapSnapshot } from "./process_wishes.ts";
import { questionFrom } from "./why.ts";

/** The operator's view of its run that goes on, or of its last one. Written by `runOperator()` alone. */
export interface CurrentRun {
  /** Outlives the run. */
  ledger?: Ledger;
  /** There from the login to the end of the cleanup. */
  serving?: OperatorRun;
  /** While it goes on. Its options and its startup handlers may have changed them. */
  settings?: Settings;
}

/** The things that belong to one life. */
interface Life {
  readonly options: RunningOptions;
  readonly components: Components;
  readonly activities: Activities;
  readonly current: CurrentRun;
  readonly extras: Extras;
}

/**
 * Runs an operator until its signal aborts.
 *
 * @throws {ActivityError} If a startup or cleanup handler fails.
 * @throws {LoginError} If there is no way into a cluster, or none any more.
 * @throws {ApiError} If discovery fails.
 * @throws {TypeError} If a handler or setting cannot be served.
 */
export async function runOperator(
  options: RunningOptions,
  { current, extras }: Pick<Life, "current" | "extras">,
): Promise<void> {
  const { host, signal, liveness, logger } = options;
  if (signal.aborted) return;
  if (liveness !== undefined) parseProbeAddress(liveness);
  using _reason = reportStop(options);
  await using rights = await openRecord(options, extras);
  using components = await createComponents(options, { recorder: rights?.recorder });
  const { ledger, observer, failed, indexing: { indices } } = components;
  current.ledger = ledger;
  const onException = (error: unknown): void => failed.abort(error);
  using _strays = options.handlesStrayErrors
    ? handleStrayErrors({ host, logger, observer, calls: components.recentCalls, onException })
    : undefined;
  await using _questions = options.questions
    ? await answerQuestions({ host, logger, answers: answersOf(current, components, options) })
    : undefined;
  const activities = new Activities({ ...options, indices, observer });
  if (!await isDone(() => activities.startup(), signal)) return;
  let failure: { readonly error: unknown } | undefined;
  try {
    await isDone(() => serveWithProbes({ options, components, activities, current, extras }), signal);
  } catch (error) {
    failure = { error };
  }
  try {
    await activities.cleanup();
  } catch (error) {
    if (failure !== undefined) logger.error("The cleanup has failed, too", { error });
    failure ??= { error };
  } finally {
    await current.serving?.leave();
    current.serving?.client.transport[Symbol.dispose]();
    current.serving = undefined;
  }
  if (failure !== undefined) throw failure.error;
}

/** Returns the answers to questions from this machine. */
function answersOf(
  current: CurrentRun,
  { metrics, lateMetrics, ledger }: Components,
  { host, logger, logLevels, settings }: RunningOptions,
): Answers {
  const serving = (): OperatorRun => {
    if (current.serving !== undefined) return current.serving;
    throw new TypeError("The operator has not begun to serve: it starts, or cannot log in (see its log)");
  };
  return {
    "/why": (question) => serving().explain(questionFrom(question)),
    "/queue": () => serving().queued(),
    "/metrics": async () => ({
      text: await (metrics ?? lateMetrics)?.text(),
      isLate: metrics === undefined,
      running: ledger.running(),
    }),
    "/log-level": (question) => setLevel(question, { logger, logLevels }),
    "/heap-snapshot": () => writeHeapSnapshot(host, settings),
  };
}

async function openRecord(
  { recordRights: path, host, logger }: RunningOptions,
  extras: Extras,
): Promise<Recording | undefined> {
  return path === undefined ? undefined : await extras.openRecord({ host, logger, path });
}

/** Logs why the operator stops, with the reason of the signal, if it has one. */
function reportStop({ signal, logger }: RunningOptions): Disposable {
  const report = (): void => {
    const { reason } = signal;
    const isPlain = reason instanceof DOMException && reason.name === "AbortError";
    logger.info(
      "Operator is stopping",
      isPlain ? {} : { reason: reason instanceof Error ? reason.message : reason },
    );
  };
  signal.addEventListener("abort", report, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", report) };
}

/** Whether the work was done; false if it ended since the signal aborted. @throws Any other error of the work. */
async function isDone(work: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (signal.aborted && error === signal.reason) return false;
    throw error;
  }
}

async function serveWithProbes(life: Life): Promise<void> {
  const { options, components, current, extras } = life;
  const { registry, settings, host, logger } = options;
  narrowWatches(registry, settings);
  checkSettings(settings);
  const [admission] = registry.all(ADMISSION);
  if (admission !== undefined && settings.admission.server === null) {
    const title = `"${admission.id}" for "${formatSelector(admission.selector)}"`;
    throw new TypeError(
      `Cannot serve admission handler ${title}: there is no server for it (set admission.server, such as to webhookServer())`,
    );
  }
  const replicas = await loadReplicas(settings, host);
  checkCertificateTimes(settings.admission);
  checkWebhookNames(registry.all(ADMISSION), settings.admission.managed);
  rejectUnservedConversions(registry, settings);
  await using _probes = await answerProbes(life);
  const transportOptions: TransportOptions = {
    host,
    credentials: await findCredentials(life),
    logger: logger.child({ name: "lotse.client" }),
    networking: settings.networking,
    observer: components.observer,
    permit: replicas && currentPermit,
  };
  const transport = new Transport(transportOptions);
  const watching = logger.child({ name: "lotse.watching" });
  const client = createClient(transport, { projectionOf: projections(settings, watching) });
  if (options.crds === "apply") {
    await extras.applyDefinitions(options, { client, leases: replicas?.settings });
  }
  const { checks } = extras;
  if (options.selfCheck) components.work.start("self-check", () => selfCheck(options, { client, checks }));
  current.serving = new OperatorRun(options, { client, components, replicas, transport: transportOptions });
  await current.serving.serve();
}

/** @throws {TypeError} If objects are to be converted, and no server is there to do it. */
function rejectUnservedConversions(registry: Registry, { admission }: Settings): void {
  const [kind] = convertedIn(declaredIn(registry));
  if (kind === undefined || admission.server !== null) return;
  throw new TypeError(
    `Cannot convert objects of "${kind.plural}.${kind.group}": there is no server for it (set admission.server, such as to webhookServer())`,
  );
}

/**
 * Returns the projection of each kind: the parts of its objects that are kept. Asked several times for each object, so it is
 * found out once for a kind.
 */
function projections(settings: Settings, logger: Logger): Client["projectionOf"] {
  const known = new WeakMap<Resource, { readonly projection: Projection | undefined }>();
  return (resource) => {
    const found = known.get(resource);
    if (found !== undefined) return found.projection;
    const projection = projectionOf(resource, { ...keptPartsFor(settings.watching, resource), logger });
    known.set(resource, { projection });
    return projection;
  };
}

async function answerProbes(
  { options: { liveness, logger, settings }, components: { metrics, listeners }, activities, current }: Life,
): Promise<AsyncDisposable | undefined> {
  if (liveness === undefined) return undefined;
  const routes: readonly Route[] = metrics === undefined ? [] : [{
    path: "/metrics",
    handle: await metricsRoute(metrics, { settings, logger, current, host: listeners.host }),
  }];
  const { host } = listeners;
  return await serveProbes({
    host,
    clock: host.clock,
    logger: logger.child({ name: "lotse.probing" }),
    address: parseProbeAddress(liveness),
    probe: () => activities.probe(),
    vitals: () => listeners.checks(),
    checks: async () => {
      const own = current.serving?.checks() ?? [{ name: "login", problem: "not logged in yet" }];
      return [...own, ...await activities.readiness()];
    },
    tellsReasons: () => settings.probing.reasons,
    routes,
  });
}

/** Returns the way in which metrics are answered. NB: startup handlers have set the settings by now. */
async function metricsRoute(
  metrics: Pick<Metrics, "answer">,
  { settings, logger, host, current }:
    & Pick<RunningOptions, "settings" | "logger" | "host">
    & Pick<Life, "current">,
): Promise<Route["handle"]> {
  if (!settings.probing.metricsReview) return (request) => metrics.answer(request);
  const { MetricsGate } = await import("../engines/metrics/metrics_gate.ts");
  const gate = new MetricsGate({
    clock: host.clock,
    logger: logger.child({ name: "lotse.probing" }),
    client: () => current.serving?.client,
  });
  return (request) => gate.answer(request, () => metrics.answer(request));
}

/**
 * The given credentials; else the credentials of login handlers; else credentials of the surroundings (kubeconfig, service
 * account).
 */
async function findCredentials({ options, components, activities }: Life): Promise<Credentials> {
  const { host, logger, credentials, registry, signal, kubeconfig, context } = options;
  const onFailure = (error: Error): void => components.failed.abort(error);
  if (credentials !== undefined) return await credentialsFrom(credentials, { host, logger, onFailure });
  if (!registry.all(ACTIVITY).some(({ activity }) => activity === "login")) {
    return await login({ host, logger, kubeconfig, context, onFailure });
  }
  const vault = new Vault({
    host,
    logger: logger.child({ name: "lotse.activities.login" }),
    login: () => activities.login(),
    onFailure,
  });
  await vault.current(signal);
  return vault;
}
