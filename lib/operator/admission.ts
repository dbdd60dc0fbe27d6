/**
 * Admission while an operator runs: the server that reviews come through, and the configurations that send them there. The
 * same server converts objects between versions.
 *
 * Both begin once the kinds are known; conversions before that, as no objects can be listed without them. When the operator
 * stops, its webhooks are released first, so that no request is refused because the server has stopped listening. Source:
 * scenarios B128–B157.
 */

import { aborted } from "../async/timeout.ts";
import { TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import { CONVERSION_PATH, Conversions } from "../handlers/admission/conversion.ts";
import { clientConfigFor, webhooksFor } from "../handlers/admission/webhook_configuration.ts";
import { type Edit, ManagedConfiguration } from "../handlers/admission/managed_configuration.ts";
import { AdmissionReviews, type AdmissionReviewsOptions } from "../handlers/admission/reviewer.ts";
import { writeConversions } from "../engines/definitions/conversion.ts";
import type { Poster } from "../engines/posting/poster.ts";
import type { Check } from "../engines/probing.ts";
import { objectReference } from "../model/references.ts";
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from "../model/kinds.ts";
import { ADMISSION, type AdmissionHandler } from "../handlers/admission/admission_handler.ts";
import { declaredIn } from "../handlers/declared_handlers.ts";
import { convertedIn } from "../registry/declared.ts";
import type { Registry } from "../handlers/registry.ts";
import type { ResourceOptions } from "../registry/resource.ts";
import type { Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type {
  AdmissionServer,
  AdmissionServerContext,
  CertificateValidity,
  WebhookClientConfig,
} from "../settings/admission_server.ts";
import type { Settings } from "../settings/settings.ts";
import type { Responsibility } from "./responsibility.ts";

export interface AdmissionOptions extends Omit<AdmissionReviewsOptions, "clock"> {
  readonly host: Host;
  readonly client: Client;
  readonly settings: Pick<Settings, "admission" | "posting" | "watching">;
  /** Runs what one replica does for all, and knows the other replicas. */
  readonly responsibility: Responsibility;
  /** Posts events about foreign changes to a webhook configuration. */
  readonly poster: Poster;
  /** Has all admission handlers, whether or not their kinds are served, and the kinds that are converted. */
  readonly registry: Registry;
  /** Called when the API server has to be told another way to us. */
  readonly onMoved: () => void;
  /** Called with an error that ends the operator. */
  readonly onFailure: (error: unknown) => void;
  /** Called when the server has ended by itself: then the operator stops, too. */
  readonly onEnd: () => void;
}

/** How long the server may take to end, and how long its webhooks may take to be taken back. */
const SERVER_GRACE: Seconds = 5;
const REMOVAL_TIMEOUT: Seconds = 10;

/** How long until a configuration is written again that could not be written. */
const RETRY_PAUSE: Seconds = 30;

interface Managed {
  readonly cause: AdmissionHandler["cause"];
  readonly configuration: ManagedConfiguration;
}

/** Admission of one run. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #logger: Logger;
  readonly #tasks: TaskGroup;
  readonly #serving: TaskGroup;
  /** The webhook configurations that the operator writes; without configurations that are neither needed nor permitted. */
  #managed: readonly Managed[];
  readonly #reviews: AdmissionReviews;
  /** How the API server reaches us; undefined until the server listens. */
  #way: WebhookClientConfig | undefined;
  /** Undefined for plain HTTP, and for servers that do not report their certificate. */
  #certificate: CertificateValidity | undefined;
  #isListening = false;
  #isCreated = false;
  readonly #opened = Promise.withResolvers<void>();
  #writing: Promise<void> = Promise.resolve();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    const { client, host, settings: { admission: { managed: name }, watching }, logger } = options;
    this.#logger = logger.child({ name: "lotse.admission" });
    const onError = options.onFailure;
    this.#tasks = new TaskGroup({ onError });
    this.#serving = new TaskGroup({ onError });
    this.#reviews = new AdmissionReviews({
      ...options,
      clock: options.host.clock,
      logger: logger.child({ name: "lotse.objects" }),
    });
    const manage = (cause: Managed["cause"], resource: typeof VALIDATING_WEBHOOK_CONFIGURATIONS): Managed[] =>
      name === null ? [] : [{
        cause,
        configuration: new ManagedConfiguration({
          client,
          host,
          watching,
          resource,
          name,
          logger: this.#logger,
          onEdited: (edit) => this.#restore(resource.kind, edit),
        }),
      }];
    this.#managed = [
      ...manage("validate", VALIDATING_WEBHOOK_CONFIGURATIONS),
      ...manage("mutate", MUTATING_WEBHOOK_CONFIGURATIONS),
    ];
  }

  /** Returns the checks that readiness depends on. */
  checks(): readonly Check[] {
    if (!this.#isAsked) return [];
    const problem = this.#way === undefined ? "the server does not listen yet" : this.#certificateProblem();
    const until = this.#certificate?.notAfter;
    return [
      { name: "admission", problem, note: until && `its certificate is valid until ${until}` },
      ...this.#managed.map(({ cause, configuration: { problem } }) => ({
        name: `admission-${cause}-configuration`,
        problem,
      })),
    ];
  }

  /** The API server would refuse to speak to us. */
  #certificateProblem(): string | undefined {
    const { notBefore, notAfter } = this.#certificate ?? {};
    const now = this.#options.host.clock.now();
    if (notAfter !== undefined && Date.parse(notAfter) < now) {
      return `its certificate has expired at ${notAfter}`;
    }
    if (notBefore !== undefined && Date.parse(notBefore) > now) {
      return `its certificate is not valid before ${notBefore}`;
    }
    return undefined;
  }

  /** Whether the API server has anything to ask. */
  get #isAsked(): boolean {
    return this.#options.registry.all(ADMISSION).length > 0 || this.#converted().length > 0;
  }

  /** Read from the registry each time, as handlers may be exchanged. */
  #converted(): ResourceOptions[] {
    return convertedIn(declaredIn(this.#options.registry));
  }

  /** Begins to serve, and to manage. To be called when the kinds are known. */
  start(): void {
    if (this.#tasks.signal.aborted) return;
    if (this.#managed.length > 0) this.#tasks.start("manage webhooks", (signal) => this.#create(signal));
    this.#open();
  }

  /**
   * Converts objects, and says so in the definitions of their kinds: to be awaited before objects are listed.
   *
   * @throws {ApiError} If the server refuses.
   */
  async openConversions(): Promise<void> {
    const { client, settings: { admission: { managed } } } = this.#options;
    const kinds = this.#converted();
    if (kinds.length === 0) return;
    this.#open();
    const { signal } = this.#tasks;
    await Promise.race([this.#opened.promise, aborted(signal)]);
    if (this.#way === undefined || managed === null || signal.aborted) return;
    const way = clientConfigFor(CONVERSION_PATH, this.#way);
    await writeConversions(kinds, { client, way, logger: this.#logger, signal });
  }

  #open(): void {
    const { server } = this.#options.settings.admission;
    if (this.#isListening || server === null || !this.#isAsked || this.#tasks.signal.aborted) return;
    this.#isListening = true;
    this.#serving.start("serve admission", (signal) => this.#serve(server, signal));
  }

  /** Brings the configurations up to date with the kinds that are served now. */
  revise(): void {
    if (!this.#isCreated || this.#tasks.signal.aborted) return;
    this.#tasks.start("write webhooks", (signal) => this.#write(signal));
  }

  /** Takes back the webhooks that are not to outlive the operator, and stops serving. Never throws. */
  async stop(): Promise<void> {
    await this.#tasks.stop();
    if (this.#isCreated && this.#way !== undefined) await this.#release(this.#way);
    await this.#serving.stop();
  }

  async #create(signal: AbortSignal): Promise<void> {
    const admissionHandlers = this.#options.registry.all(ADMISSION);
    const managed = await Promise.all(this.#managed.map(async (each) => {
      // Without handlers a list is left to be emptied at most, if there were handlers before.
      const isNeeded = admissionHandlers.some(({ cause }) => cause === each.cause);
      return await each.configuration.create(signal, { isNeeded }) ? each : undefined;
    }));
    this.#managed = managed.filter((each) => each !== undefined);
    this.#isCreated = true;
    this.revise();
    await Promise.all(this.#managed.map(({ configuration }) => configuration.guard(signal)));
  }

  #restore(kind: string, { what, object }: Edit): void {
    const { name } = object.metadata;
    this.#logger.warn("Somebody has changed the webhook configuration: it is put right", {
      kind,
      configuration: name,
      what,
    });
    const { poster, settings: { posting } } = this.#options;
    const message = `Somebody has ${what} this: the operator puts it right`;
    if (posting.enabled) {
      poster.post(objectReference(object), { type: "Warning", reason: "WebhooksChanged", message });
    }
    this.revise();
  }

  /**
   * Writes the configurations, one write at a time, each with the handlers and the way of its moment. A configuration that is
   * written already is not written again.
   */
  #write(signal: AbortSignal): Promise<void> {
    const write = async (): Promise<void> => {
      const { host: { clock } } = this.#options;
      while (!signal.aborted) {
        const written = await Promise.all(this.#managed.map((managed) => this.#tryWrite(managed, signal)));
        if (!written.includes(false)) return;
        await clock.sleep(RETRY_PAUSE, signal);
      }
    };
    return this.#writing = this.#writing.then(write, write);
  }

  /** Whether a configuration is as it should be. Why it is not is logged. */
  async #tryWrite({ cause, configuration }: Managed, signal: AbortSignal): Promise<boolean> {
    const handlers = this.#handlersOf(cause);
    // Without handlers the configuration has no webhooks, and needs no way.
    if (this.#way === undefined && handlers.size > 0) return true;
    const suffix = this.#options.settings.admission.managed ?? "";
    try {
      await configuration.write(webhooksFor({ handlers, suffix, client: this.#way ?? {} }), signal);
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      const fields = { configuration: suffix, error, retryIn: RETRY_PAUSE };
      if (error instanceof ApiError && (error.status === 400 || error.status === 422)) {
        const advice = adviceFor(error, [...handlers.keys()]);
        this.#logger.error("The API server refuses the webhook configuration: it is tried again", {
          ...fields,
          stack: false,
          ...advice,
        });
      } else this.#logger.warn("Cannot write the webhook configuration: it is tried again", fields);
      return false;
    }
  }

  /** Releases the webhooks, but for persistent ones, and for webhooks that lead to other replicas as well. */
  async #release(client: WebhookClientConfig): Promise<void> {
    const { settings: { admission: { managed, release } }, host } = this.#options;
    const deadline = new AbortController();
    using _timer = host.clock.after(REMOVAL_TIMEOUT, () => deadline.abort());
    const suffix = managed ?? "";
    const released = await Promise.allSettled(this.#managed.map(({ cause, configuration }) => {
      const kept = webhooksFor({ handlers: this.#handlersOf(cause), suffix, client, persistentOnly: true });
      const persistent = new Set(kept.map(({ name }) => name));
      return configuration.release(client, { what: release, persistent, signal: deadline.signal });
    }));
    for (const result of released) {
      if (result.status === "fulfilled") continue;
      this.#logger.error(
        "Cannot take webhooks back: requests are refused until somebody deletes the configuration",
        {
          configuration: suffix,
          error: result.reason,
        },
      );
    }
  }

  #handlersOf(cause: AdmissionHandler["cause"]): ReturnType<AdmissionReviewsOptions["served"]> {
    return new Map([...this.#options.served()].filter(([handler]) => handler.cause === cause));
  }

  async #serve(server: AdmissionServer, signal: AbortSignal): Promise<void> {
    const { host: { clock } } = this.#options;
    const ended = new AbortController();
    const overdue = aborted(signal).then(() => clock.sleep(SERVER_GRACE, ended.signal)).then((isOverdue) => {
      if (isOverdue) this.#logger.warn("The admission server does not stop: it is left behind");
    });
    try {
      await Promise.race([this.#listen(server, signal), overdue]);
    } finally {
      ended.abort();
      this.#way = undefined;
      await dispose(server);
    }
    if (signal.aborted) return;
    this.#logger.warn("The admission server has ended: the operator stops");
    this.#options.onEnd();
  }

  async #listen(server: AdmissionServer, signal: AbortSignal): Promise<void> {
    const { host } = this.#options;
    const review: AdmissionServerContext["review"] = (payload, hints) => this.#reviews.review(payload, hints);
    // Few operators are asked for admission, and the server's packages take their time to load.
    const { admissionApp } = await import("../handlers/admission/app.ts");
    const convert: AdmissionServerContext["convert"] = (payload) =>
      new Conversions(this.#converted(), this.#logger).answer(payload);
    const { fetch } = admissionApp({ review, convert, logger: this.#logger });
    const presents = (certificate: CertificateValidity): void => void (this.#certificate = certificate);
    const context = { review, convert, fetch, host, logger: this.#logger, signal, presents };
    const ways = typeof server === "function" ? server(context) : server.serve(context);
    for await (const way of ways) {
      const isMoved = this.#way !== undefined;
      this.#way = way;
      this.#opened.resolve();
      this.revise();
      if (isMoved && this.#converted().length > 0) this.#options.onMoved();
      if (signal.aborted) return;
    }
  }
}

async function dispose(server: AdmissionServer): Promise<void> {
  if (typeof server === "function") return;
  await server[Symbol.asyncDispose]?.();
  server[Symbol.dispose]?.();
}

/** Names the handler whose webhook the server has refused, and which part of it to rename. */
function adviceFor(
  { details }: ApiError,
  handlers: readonly AdmissionHandler[],
): { handler?: string; rename?: string } {
  for (const { field = "" } of details?.causes ?? []) {
    const [, index, part = ""] = /^webhooks\[(\d+)\]\.([\w.]+)/.exec(field) ?? [];
    const handler = handlers[Number(index)]?.id;
    if (handler === undefined) continue;
    const rename = RENAMED.find(([start]) => part.startsWith(start))?.[1];
    return { handler, ...rename !== undefined && { rename } };
  }
  return {};
}

/** The names of which fields of a webhook are made. */
const RENAMED = [
  ["name", 'the handler, by its option "id"'],
  ["clientConfig.service.path", 'the handler, by its option "id", or the path of admission.server'],
  ["clientConfig", "the address of admission.server"],
] as const;
