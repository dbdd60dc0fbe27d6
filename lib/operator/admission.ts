/**
 * Admission while an operator runs: the server that reviews come through, and the configurations that send them there. The
 * same server converts objects between versions.
 *
 * Both begin once the kinds are known; conversions before that, as no objects can be listed without them. A lone process takes
 * its webhooks back before it stops listening. A replica leaves them, as others are asked by them, and answers on for a while.
 * Source: scenarios B128–B157; docs/decisions/0037-webhooks-of-replicas.md.
 */

import { aborted } from "../async/timeout.ts";
import { TaskGroup } from "../async/tasks.ts";
import { Waiters } from "../async/waiters.ts";
import { podNamespace } from "../client/auth/service_account.ts";
import type { Client } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import { CONVERSION_PATH, Conversions } from "../handlers/admission/conversion.ts";
import { clientConfigFor, type OwnObjects, vitalKinds } from "../handlers/admission/webhook_configuration.ts";
import type { ConfigurationChange } from "../handlers/admission/managed_configuration.ts";
import { ForeignConfigurationError, ManagedWebhooks } from "../handlers/admission/managed_webhooks.ts";
import { ADMISSION } from "../handlers/admission/admission_handler.ts";
import { formatAnnouncement, type ReplicaView, SERVES } from "../handlers/admission/replica_view.ts";
import { AdmissionReviews, type AdmissionReviewsOptions } from "../handlers/admission/reviewer.ts";
import { SharedCertificate } from "../handlers/admission/shared_certificate.ts";
import { placeOfSecret, splitCertificates } from "../handlers/admission/webhook_secret.ts";
import { HeldName } from "../engines/replicas/held_name.ts";
import { makeIdentity } from "../engines/replicas/session.ts";
import type { Poster } from "../engines/posting/poster.ts";
import type { Check } from "../engines/probing.ts";
import { fromBase64, toBase64 } from "../model/encoding.ts";
import type { KubeObject } from "../model/object.ts";
import { objectReference } from "../model/references.ts";
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
  ServedCertificate,
  WebhookClientConfig,
} from "../settings/admission_server.ts";
import type { Settings } from "../settings/settings.ts";
import { KeptConversions } from "./kept_conversions.ts";

export interface AdmissionOptions extends Omit<AdmissionReviewsOptions, "clock" | "signal"> {
  readonly host: Host;
  readonly client: Client;
  readonly settings: Pick<Settings, "admission" | "posting" | "watching">;
  /** Posts events about foreign changes to a webhook configuration. */
  readonly poster: Poster;
  /** Has all admission handlers, whether or not their kinds are served, and the kinds that are converted. */
  readonly registry: Registry;
  /** The replicas of this operator, and the work that one of them does for all. */
  readonly replicas: ReplicaView;
  /** Called when the API server has to be told another way to us. */
  readonly onMoved: () => void;
  /** Called with an error that ends the operator. */
  readonly onFailure: (error: unknown) => void;
  /** Called when the server has ended by itself: then the operator stops, too. */
  readonly onEnd: () => void;
}

/** How long the server may take to end, and how long its webhooks may take to be taken back. */
const SERVER_GRACE: Seconds = 8;
const REMOVAL_TIMEOUT: Seconds = 10;

/** How long until it is tried again to find out whose the configurations are. */
const RETRY_PAUSE: Seconds = 10;

/** For how long a replica is not ready at most since the configurations are not as it needs them. */
const AGREEMENT_TIMEOUT: Seconds = 60;

/** Admission of one run. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #logger: Logger;
  readonly #replicas: ReplicaView;
  readonly #tasks: TaskGroup;
  readonly #serving: TaskGroup;
  readonly #reviews: AdmissionReviews;
  /** Aborts when handlers must stop: after the server, which answers for longer than other handlers run. */
  readonly #ended = new AbortController();
  /** Undefined where configurations are written by hand. */
  readonly #webhooks: ManagedWebhooks | undefined;
  readonly #conversions: KeptConversions;
  /** Undefined without replicas. */
  readonly #shared: SharedCertificate | undefined;
  readonly #firsts: Disposable[] = [];
  /** The name of this process, where it is no replica. */
  readonly #identity: string;
  /** The Lease of a process that has an address of its own. */
  #held: HeldName | undefined;
  #namespace: string | undefined;
  /** How the API server reaches us; undefined until the server listens. */
  #way: WebhookClientConfig | undefined;
  /** Undefined for plain HTTP, and for servers that do not report their certificate. */
  #certificate: CertificateValidity | undefined;
  #isStarted = false;
  #isListening = false;
  /** Since when it could answer, on the monotonic clock. */
  #servesSince: Seconds | undefined;
  #leftAt: Seconds | undefined;
  #areOwnersChecked = false;
  #hasAgreed = false;
  /** The authorities that all configurations, and all definitions, have been written with. In base64. */
  readonly #spread: { webhooks?: string; conversions?: string } = {};
  readonly #spreading = new Waiters<true>();
  readonly #opened = Promise.withResolvers<void>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    const { client, host, settings: { admission: { managed }, watching }, logger, observer } = options;
    this.#logger = logger.child({ name: "lotse.admission" });
    const onError = options.onFailure;
    this.#tasks = new TaskGroup({ onError });
    this.#serving = new TaskGroup({ onError });
    this.#replicas = options.replicas;
    this.#identity = makeIdentity(host.process.hostname(), host.random);
    this.#reviews = new AdmissionReviews({
      ...options,
      clock: options.host.clock,
      logger: logger.child({ name: "lotse.objects" }),
      signal: this.#ended.signal,
    });
    const common = { client, host, watching, logger: this.#logger, replicas: this.#replicas };
    this.#webhooks = managed === null ? undefined : new ManagedWebhooks({
      ...common,
      name: managed,
      owner: () => this.#owner,
      ownObjects: () => this.#ownObjects,
      handlersOf: (cause) => new Map([...options.served()].filter(([handler]) => handler.cause === cause)),
      isNeeded: (cause) => options.registry.all(ADMISSION).some((handler) => handler.cause === cause),
      way: () => this.#way,
      onRepaired: (change, kind) => this.#tellRepair(change, kind),
      onWritten: () => this.#tellSpread("webhooks"),
    });
    const { settings: place } = this.#replicas;
    this.#shared = place && new SharedCertificate({
      ...common,
      place: placeOfSecret(place),
      settings: () => options.settings.admission,
      distributed: (bundle, signal) => this.#distribute(bundle, signal),
      standing: () => this.#webhooks?.authorities() ?? [],
      onRepaired: (fault, secret) => this.#tellSecret(fault, secret),
      onRead: (isGood) => observer.certificateRead?.(isGood),
    });
    this.#conversions = new KeptConversions({
      client,
      clock: host.clock,
      logger: this.#logger,
      replicas: this.#replicas,
      kinds: () => this.#converted(),
      isTrustedBy: (caBundle) => this.#isTrustedBy(splitCertificates(fromBase64(caBundle) ?? "")),
    });
  }

  /**
   * Returns the checks of lists, of which readiness does not wait for lists that need a conversion by a replica: none could be
   * listed before one is ready.
   */
  relax(lists: readonly Check[]): readonly Check[] {
    const converted = this.#replicas.settings === undefined ? [] : this.#converted();
    if (converted.length === 0) return lists;
    const isAwaited = this.#conversions.isAwaited;
    const isRelaxed = (name: string): boolean =>
      name === "indexes" || (name === "started" && isAwaited) ||
      converted.some(({ plural, version, group }) => name.startsWith(`watch ${plural}.${version}.${group}`));
    return lists.map((check) => {
      const { name, problem } = check;
      return problem === undefined || !isRelaxed(name) ? check : { name, problem: undefined, note: problem };
    });
  }

  /** Returns the checks that readiness depends on. */
  checks(): readonly Check[] {
    const isShared = this.#replicas.settings !== undefined;
    const agreement: Check[] = isShared && this.#webhooks !== undefined
      ? [{ name: "admission-agreement", problem: this.#disagreement() }]
      : [];
    if (!this.#isAsked) return agreement;
    const problem = this.#way === undefined
      ? this.#shared?.problem ?? "the server does not listen yet"
      : this.#shared?.problem ?? this.#certificateProblem();
    const until = this.#certificate?.notAfter;
    const note = this.#shared?.note ?? (until && `its certificate is valid until ${until}`);
    // Another replica could do no better about a configuration that all of them share.
    const configurations = (this.#webhooks?.problems ?? []).map(({ cause, problem }): Check => ({
      name: `admission-${cause}-configuration`,
      problem: isShared ? undefined : problem,
      ...isShared && problem !== undefined && { note: problem },
    }));
    return [{ name: "admission", problem, note }, ...agreement, ...configurations];
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

  /** Asked until the first time that there is none: after that the configurations follow the replicas. */
  #disagreement(): string | undefined {
    if (this.#hasAgreed) return undefined;
    const { clock } = this.#options.host;
    if (this.#servesSince === undefined) return "the server does not listen yet";
    const isOver = clock.monotonic() - this.#servesSince > AGREEMENT_TIMEOUT;
    const problem = this.#areOwnersChecked
      ? this.#webhooks?.disagreement((bundle) => this.#isTrustedBy(bundle))
      : "the webhook configurations are not known yet";
    if (problem !== undefined && !isOver) return problem;
    if (problem !== undefined) {
      this.#logger.warn("The configurations do not fit this replica, which is ready all the same", {
        problem,
      });
    }
    this.#hasAgreed = true;
    return undefined;
  }

  /** Whether the API server trusts this replica by these authorities, as far as that can be told. */
  #isTrustedBy(bundle: readonly string[]): boolean {
    // A server with a certificate of its own has the same one in all replicas.
    return this.#shared === undefined || this.#shared.hosts.length === 0 || this.#shared.isTrustedBy(bundle);
  }

  /** Whether the API server has anything to ask. */
  get #isAsked(): boolean {
    return this.#options.registry.all(ADMISSION).length > 0 || this.#converted().length > 0;
  }

  /** Read from the registry each time, as handlers may be exchanged. */
  #converted(): ResourceOptions[] {
    return convertedIn(declaredIn(this.#options.registry));
  }

  /** Whose the configurations are. */
  get #owner(): string {
    const own = this.#ownObjects;
    return own === undefined ? this.#identity : `${own.namespace}/${own.name}`;
  }

  get #ownObjects(): OwnObjects | undefined {
    const { settings } = this.#replicas;
    if (settings !== undefined) {
      return { namespace: settings.namespace, name: settings.name, hasReplicas: true };
    }
    const { managed } = this.#options.settings.admission;
    if (this.#namespace === undefined || managed === null) return undefined;
    return { namespace: this.#namespace, name: managed, hasReplicas: false };
  }

  /** Begins to serve, and to manage, if it has not begun. To be called when the kinds are known. */
  start(): void {
    if (this.#tasks.signal.aborted || this.#isStarted) return;
    this.#isStarted = true;
    const webhooks = this.#webhooks;
    if (webhooks !== undefined) {
      this.#tasks.start("manage webhooks", (signal) => this.#manage(webhooks, signal));
    }
    this.#open();
    this.#announce();
    this.#warnOfVitalKinds();
  }

  #warnOfVitalKinds(): void {
    for (const [handler, resources] of this.#options.served()) {
      const found = vitalKinds(handler, resources);
      if (found.length === 0) continue;
      this.#logger.warn(
        "While this operator does not run, the cluster refuses what it needs to start it: select by labels, or set ignoreFailures",
        { handler: handler.id, kinds: found },
      );
    }
  }

  /**
   * Converts objects, and says so in the definitions of their kinds: to be awaited before objects are listed.
   *
   * @throws {ApiError} If the server refuses.
   */
  async openConversions(): Promise<void> {
    if (this.#converted().length === 0) return;
    // Replicas that wait with their lists are asked for admission all the same.
    if (this.#replicas.settings === undefined) this.#open();
    else this.start();
    const { signal } = this.#tasks;
    await Promise.race([this.#opened.promise, aborted(signal)]);
    if (this.#way === undefined || this.#webhooks === undefined || signal.aborted) return;
    this.#announce();
    await this.#conversions.open(clientConfigFor(CONVERSION_PATH, this.#way), signal);
    this.#tellSpread("conversions");
  }

  #open(): void {
    const { server } = this.#options.settings.admission;
    if (this.#isListening || server === null || !this.#isAsked || this.#tasks.signal.aborted) return;
    this.#isListening = true;
    this.#serving.start("serve admission", (signal) => this.#serve(server, signal));
    const shared = this.#shared;
    if (shared === undefined) return;
    const { onMoved } = this.#options;
    this.#firsts.push(
      this.#replicas.whileFirst("keep certificate", (term) => shared.keep(term)),
      this.#replicas.whileFirst("keep conversions", (term) => this.#conversions.keep(term, onMoved)),
    );
  }

  /** Brings the configurations up to date with the kinds that are served now. */
  revise(): void {
    if (this.#tasks.signal.aborted) return;
    this.#webhooks?.revise();
    this.#announce();
  }

  /** Tells other replicas which webhooks this one serves, once it does. */
  #announce(): void {
    if (this.#replicas.settings === undefined || !this.#isStarted) return;
    if (this.#way === undefined && this.#isAsked) return;
    this.#servesSince ??= this.#options.host.clock.monotonic();
    this.#replicas.annotate(
      SERVES,
      formatAnnouncement({
        webhooks: this.#webhooks?.served() ?? new Map(),
        conversions: this.#conversions.names,
        hosts: this.#shared?.hosts ?? [],
      }),
    );
  }

  /** Says that the operator stops: reviews are answered on, and each answer ends its connection. */
  leave(): void {
    this.#leftAt ??= this.#options.host.clock.monotonic();
  }

  /** Takes back the webhooks that are not to outlive the operator, and stops serving. Never throws. */
  async stop(): Promise<void> {
    const { settings: { admission: { linger } }, host: { clock } } = this.#options;
    this.leave();
    for (const first of this.#firsts) first[Symbol.dispose]();
    await this.#tasks.stop();
    if (this.#way !== undefined) await this.#release(this.#way);
    await this.#held?.release();
    if (this.#replicas.settings !== undefined && this.#way !== undefined) {
      await clock.sleep(linger - (clock.monotonic() - (this.#leftAt ?? 0)));
    }
    await this.#serving.stop();
    this.#ended.abort(new DOMException("The operator is stopping", "AbortError"));
    this.#shared?.[Symbol.dispose]();
  }

  /** Keeps the configurations until the signal aborts. @throws If they belong to another operator, or may not be made. */
  async #manage(webhooks: ManagedWebhooks, signal: AbortSignal): Promise<void> {
    const isReplica = this.#replicas.settings !== undefined;
    if (!isReplica && this.#isAsked) {
      await Promise.race([this.#opened.promise, aborted(signal)]);
      if (signal.aborted) return;
      if (this.#way?.url !== undefined) await this.#hold(signal);
    }
    // A lone process finds out when it writes.
    if (isReplica) await this.#checkOwners(webhooks, signal);
    else await webhooks.create({ signal });
    if (signal.aborted) return;
    const guarding = webhooks.guard(signal);
    if (isReplica) {
      this.#firsts.push(this.#replicas.whileFirst("keep webhooks", (term) => webhooks.keep(term)));
    } else {
      const timeLeft = (): Seconds => this.#held?.timeLeft() ?? Infinity;
      const ends = this.#held === undefined ? signal : AbortSignal.any([signal, this.#held.signal]);
      await webhooks.keep({ signal: ends, timeLeft });
    }
    await guarding;
  }

  /** A process with an address of its own must be the only one: it cannot share the configurations with another. */
  async #hold(signal: AbortSignal): Promise<void> {
    const { client, host, settings: { admission: { managed } } } = this.#options;
    this.#namespace = await podNamespace(host) ?? client.defaultNamespace;
    const held = new HeldName({
      client,
      host,
      logger: this.#logger,
      namespace: this.#namespace,
      name: managed ?? "",
      identity: this.#identity,
    });
    try {
      await held.acquire(signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof ApiError && error.status === 403)) throw error;
      throw new Error(
        `Cannot manage the webhooks "${managed}" without a Lease, by which a second process is kept away: grant the operator the right to get, create, update and delete Leases in "${this.#namespace}", or unset admission.managed`,
        { cause: error },
      );
    }
    this.#held = held;
    this.#tasks.start("keep name of webhooks", (stop) => held.keep(stop));
  }

  async #checkOwners(webhooks: ManagedWebhooks, signal: AbortSignal): Promise<void> {
    const { host: { clock } } = this.#options;
    while (!signal.aborted) {
      try {
        await webhooks.checkOwners(signal);
        this.#areOwnersChecked = true;
        return;
      } catch (error) {
        if (error instanceof ForeignConfigurationError || signal.aborted) throw error;
        const fields = { error, retryIn: RETRY_PAUSE };
        this.#logger.warn("Cannot tell whose the webhook configurations are: it is tried again", fields);
        await clock.sleep(RETRY_PAUSE, signal);
      }
    }
  }

  /** Resolves when all configurations and definitions have been written with these authorities, or the signal aborts. */
  async #distribute(bundle: readonly string[], signal: AbortSignal): Promise<void> {
    const wanted = toBase64(bundle.join(""));
    this.revise();
    if (this.#converted().length > 0) this.#options.onMoved();
    const isSpread = (): boolean =>
      (this.#webhooks === undefined || this.#spread.webhooks === wanted) &&
      (this.#converted().length === 0 || this.#spread.conversions === wanted);
    while (!isSpread() && await this.#spreading.wait(signal) === true);
  }

  #tellSpread(place: "webhooks" | "conversions"): void {
    this.#spread[place] = this.#way?.caBundle;
    this.#spreading.serveAll(true);
  }

  #tellRepair({ what, object }: ConfigurationChange, kind: string): void {
    const { name } = object.metadata;
    this.#logger.warn("Somebody has changed the webhook configuration: it is put right", {
      kind,
      configuration: name,
      what,
    });
    this.#options.observer.webhooksRepaired?.(kind);
    this.#post(object, "WebhooksChanged", `Somebody has ${what} this: the operator puts it right`);
  }

  #tellSecret(fault: string, secret: KubeObject): void {
    const { namespace, name } = secret.metadata;
    this.#logger.warn("The Secret with the certificate of the webhooks was changed: it is put right", {
      secret: `${namespace}/${name}`,
      fault,
    });
    this.#options.observer.webhooksRepaired?.("Secret");
    this.#post(secret, "CertificateChanged", `The operator puts this right: ${fault}`);
  }

  #post(object: KubeObject, reason: string, message: string): void {
    const { poster, settings: { posting } } = this.#options;
    if (posting.enabled) poster.post(objectReference(object), { type: "Warning", reason, message });
  }

  /** Releases the webhooks, but for persistent ones, and for webhooks that lead to other replicas as well. */
  async #release(way: WebhookClientConfig): Promise<void> {
    const { settings: { admission: { managed, release } }, host } = this.#options;
    const isReplica = this.#replicas.settings !== undefined;
    const { members, identity } = this.#replicas;
    const isAlone = members.every((member) => !member.isLive || member.identity === identity);
    // Webhooks of replicas outlive each of them, and the last one, unless the settings say otherwise.
    if (isReplica && !(release === "all" && isAlone)) return;
    if (this.#held !== undefined && this.#held.timeLeft() <= 0) return;
    const deadline = new AbortController();
    using _timer = host.clock.after(REMOVAL_TIMEOUT, () => deadline.abort());
    try {
      await this.#webhooks?.release({ way, release, call: { signal: deadline.signal } });
    } catch (error) {
      this.#logger.error(
        "Cannot take webhooks back: requests are refused until somebody deletes the configuration",
        { configuration: managed, error },
      );
    }
  }

  async #serve(server: AdmissionServer, signal: AbortSignal): Promise<void> {
    const { host: { clock } } = this.#options;
    const ended = new AbortController();
    const overdue = aborted(signal).then(() => clock.sleep(SERVER_GRACE, ended.signal)).then((isOverdue) => {
      if (isOverdue) this.#logger.warn("The admission server does not stop: it is left behind");
    });
    try {
      await Promise.race([this.#listen(server, signal), overdue]);
    } catch (error) {
      if (!signal.aborted) throw error;
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
    const { host, observer } = this.#options;
    const review: AdmissionServerContext["review"] = (payload, hints) => this.#reviews.review(payload, hints);
    // Few operators are asked for admission, and the server's packages take their time to load.
    const { admissionApp } = await import("../handlers/admission/app.ts");
    const convert: AdmissionServerContext["convert"] = (payload) =>
      new Conversions(this.#converted(), this.#logger).answer(payload);
    const isLeaving = (): boolean => this.#leftAt !== undefined;
    const { fetch } = admissionApp({ review, convert, logger: this.#logger, isLeaving });
    const presents = (certificate: CertificateValidity): void => void (this.#certificate = certificate);
    const read = (isGood: boolean): void => observer.certificateRead?.(isGood);
    const context: AdmissionServerContext = {
      review,
      convert,
      fetch,
      host,
      logger: this.#logger,
      signal,
      presents,
      read,
      isLeaving,
      ...this.#shared !== undefined && { shared: (hosts) => this.#share(hosts, signal) },
    };
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

  /** The certificate of all replicas. Without the right to the Secret it is waited for, and the log says so. */
  async #share(hosts: readonly string[], signal: AbortSignal): Promise<ServedCertificate> {
    const shared = this.#shared;
    if (shared === undefined) throw new TypeError("Cannot share a certificate without replicas");
    const opening = shared.open(hosts, signal);
    this.#serving.start("watch certificate", (stop) => shared.watch(stop));
    return await opening;
  }
}

async function dispose(server: AdmissionServer): Promise<void> {
  if (typeof server === "function") return;
  await server[Symbol.asyncDispose]?.();
  server[Symbol.dispose]?.();
}
