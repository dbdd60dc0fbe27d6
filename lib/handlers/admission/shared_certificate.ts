/**
 * The certificate that all replicas of an operator present, kept in a Secret.
 *
 * A replica that finds no Secret makes one; from then on the holder of shard 0 alone changes it. A certificate is replaced long
 * before it expires, in an order in which the API server trusts every replica at all times: the next authority goes into the
 * Secret and into each configuration, and only some time after the last of these writes the next certificate becomes the present
 * one. A certificate that appears without that order is presented late, so that the holder of shard 0 can put the known one back.
 * Source: docs/decisions/0037-webhooks-of-replicas.md.
 */

import { Alarm } from "../../async/alarm.ts";
import { Waiters } from "../../async/waiters.ts";
import { CachedObject, type ObjectEvent } from "../../client/cache/object_store.ts";
import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { watchOptional } from "../../client/watch/optional_watch.ts";
import { SECRETS } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { ServedCertificate } from "../../settings/admission_server.ts";
import type { AdmissionSettings, WatcherSettings } from "../../settings/sections.ts";
import {
  callIn,
  type FirstTerm,
  parseAnnouncement,
  type ReplicaView,
  SERVES,
  type WriteCall,
} from "./replica_view.ts";
import {
  type CertificateReader,
  covers,
  readSecret,
  REST,
  ROTATE,
  type SecretContent,
  type SecretPlace,
  type SecretReading,
  signCertificate,
  type SignedCertificate,
  toSecret,
} from "./webhook_secret.ts";

export interface SharedCertificateOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly watching: WatcherSettings;
  readonly replicas: ReplicaView;
  readonly place: SecretPlace;
  readonly settings: () => Pick<AdmissionSettings, "certificateValidity" | "certificateSettle">;
  /** Resolves when each configuration and each definition has these authorities. PEM. */
  readonly distributed: (bundle: readonly string[], signal: AbortSignal) => Promise<void>;
  /** Returns the authorities that stand in the configurations now. PEM. */
  readonly standing: () => readonly string[];
  /** Told when the Secret was put right. */
  readonly onRepaired: (fault: string, secret: KubeObject) => void;
  /** Told of each reading of the Secret. */
  readonly onRead: (isGood: boolean) => void;
}

/** How long until the Secret is read again that could not be read or written. */
const RETRY_PAUSE: Seconds = 10;

/** The longest time between two looks at the age of certificates, as the wall clock may be set. */
const LONGEST_PAUSE: Seconds = 3600;

/** The certificate as one replica has it. */
export class SharedCertificate {
  readonly #options: SharedCertificateOptions;
  readonly #alarm: Alarm;
  readonly #waiting = new Waiters<true>();
  #reader: CertificateReader | undefined;
  /** The newest state of the Secret; undefined if there is none. */
  #secret: CachedObject | undefined;
  #reading: SecretReading = { is: "empty" };
  /** The last content that was good, and was presented. */
  #kept: SecretContent | undefined;
  #served: SignedCertificate | undefined;
  /** The end of the wait for a certificate of strangers to be taken away again. */
  #patience: Disposable | undefined;
  #hosts: readonly string[] = [];
  #refusal: string | undefined;

  constructor(options: SharedCertificateOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.host.clock);
  }

  /** The names and addresses for which it must be valid. */
  get hosts(): readonly string[] {
    return this.#hosts;
  }

  /** The fault that keeps this replica alone from being trusted; undefined if there is none. */
  get problem(): string | undefined {
    const { place: { namespace, name } } = this.#options;
    if (this.#refusal !== undefined) return this.#refusal;
    if (this.#served === undefined) return `there is no certificate in Secret "${namespace}/${name}" yet`;
    if (this.#reading.is !== "valid") return undefined;
    return this.#reading.content.bundle.includes(this.#served.authority)
      ? undefined
      : `Secret "${namespace}/${name}" does not trust the certificate of this replica (any more)`;
  }

  /** The fault that all replicas share, and that the holder of shard 0 puts right. */
  get note(): string | undefined {
    const { place: { namespace, name } } = this.#options;
    if (this.#served === undefined || this.#reading.is === "valid") return undefined;
    const fault = this.#reading.is === "broken" ? this.#reading.fault : "it has no certificate";
    return `Secret "${namespace}/${name}": ${this.#secret === undefined ? "it is not there" : fault}`;
  }

  /** Whether the API server trusts this replica by these authorities. */
  isTrustedBy(bundle: readonly string[]): boolean {
    return this.#served !== undefined && bundle.includes(this.#served.authority);
  }

  /**
   * Returns the certificate to present: of the Secret, which is made if there is none. Waits, and says so, while the Secret cannot
   * be read. @throws The signal's reason.
   */
  async open(hosts: readonly string[], signal: AbortSignal): Promise<ServedCertificate> {
    this.#hosts = [...new Set(hosts.filter((host) => host !== ""))];
    this.#reader ??= await import("../../runtime/certificate_facts.ts");
    while (this.#served === undefined) {
      signal.throwIfAborted();
      const pause = await this.#tryOpen(signal);
      if (this.#served === undefined) await this.#alarm.sleep(pause, signal);
    }
    return this.#identity(this.#served);
  }

  async #tryOpen(signal: AbortSignal): Promise<Seconds> {
    const { logger, place: { namespace, name } } = this.#options;
    try {
      const object = await this.#read({ signal });
      this.#refusal = undefined;
      const isMissing = object === undefined || this.#reading.is === "empty";
      if (isMissing || this.#reading.is === "broken" && this.#mayReplace) {
        await this.#write(await this.#make(this.#hosts), { signal });
        logger.info("Made a certificate for the webhooks", { secret: `${namespace}/${name}` });
        return 0;
      }
      return 1;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isConflict(error)) return 0;
      const told = harmless(error);
      const refusal = `the certificate cannot be read from Secret "${namespace}/${name}": ${told.message}`;
      const isNew = this.#refusal !== refusal;
      this.#refusal = refusal;
      logger[isNew ? "error" : "debug"](
        "Cannot share a certificate with other replicas: grant the operator the right to get, watch, create and update the Secret",
        { secret: `${namespace}/${name}`, error: told, stack: false, retryIn: RETRY_PAUSE },
      );
      return RETRY_PAUSE;
    }
  }

  /** Whether no other replica has a good certificate in memory. Members are known once our own Lease was seen. */
  get #mayReplace(): boolean {
    const { members, identity } = this.#options.replicas;
    return members.some((member) => member.identity === identity) &&
      members.every((member) =>
        member.identity === identity || !member.isLive || member.record.annotations[SERVES] === undefined
      );
  }

  /** Follows the Secret until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    const { client, host, watching, logger, place: { namespace, name } } = this.#options;
    await watchOptional({
      client,
      host,
      logger,
      settings: watching,
      signal,
      resource: SECRETS,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      about: { kind: "Secret", namespace, name },
      warning:
        "Cannot watch the certificate of the webhooks: grant the operator the right to list and watch the Secret, or a rotation is not noticed",
      notify: (event) => this.#notice(event),
    });
  }

  /** Keeps the Secret as long as the term lasts: puts it right, and replaces certificates in time. */
  async keep(term: FirstTerm): Promise<void> {
    const { logger, place: { namespace, name } } = this.#options;
    while (!term.signal.aborted) {
      let pause: Seconds;
      try {
        pause = await this.#step(term);
      } catch (error) {
        if (term.signal.aborted) return;
        pause = isConflict(error) ? 0 : RETRY_PAUSE;
        if (pause > 0) {
          logger.warn("Cannot keep the certificate of the webhooks: it is tried again", {
            secret: `${namespace}/${name}`,
            error: harmless(error),
            stack: false,
            retryIn: pause,
          });
        }
      }
      await this.#alarm.sleep(pause, term.signal);
    }
  }

  /** Takes one step; returns how long until the next one, unless there is news. */
  async #step(term: FirstTerm): Promise<Seconds> {
    if (this.#reader === undefined || this.#hosts.length === 0) return LONGEST_PAUSE;
    const live = await this.#read({ signal: term.signal });
    const repair = await this.#repair();
    if (repair !== undefined) {
      await this.#write(repair.content, callIn(term));
      this.#options.onRepaired(repair.fault, live ?? this.#reference());
      return 0;
    }
    if (this.#reading.is !== "valid") return 0;
    const { content } = this.#reading;
    const bundle = this.#alive(content.bundle);
    if (content.next !== undefined && covers(content.next, this.#wanted)) {
      return await this.#swap(content, term);
    }
    const isWished = live?.metadata.annotations?.[ROTATE] !== undefined;
    if (isWished || this.#restOf(content.present) <= 0 || !covers(content.present, this.#wanted)) {
      const next = await this.#sign(this.#wanted);
      await this.#write({ ...content, next, bundle: [...bundle, next.authority] }, callIn(term));
      return 0;
    }
    if (bundle.length < content.bundle.length) {
      await this.#write({ ...content, bundle }, callIn(term));
      return 0;
    }
    return Math.min(this.#restOf(content.present), LONGEST_PAUSE);
  }

  /** The next certificate becomes the present one, when all API servers have had the time to see its authority. */
  async #swap(content: SecretContent, term: FirstTerm): Promise<Seconds> {
    const { distributed, settings, host: { clock }, logger, place: { namespace, name } } = this.#options;
    const { next, bundle } = content;
    if (next === undefined) return 0;
    await distributed(bundle, term.signal);
    await clock.sleep(settings().certificateSettle, term.signal);
    if (term.signal.aborted) return 0;
    await this.#read({ signal: term.signal });
    const isSame = this.#reading.is === "valid" &&
      this.#reading.content.next?.certificate === next.certificate &&
      bundle.every((each) => this.#reading.is === "valid" && this.#reading.content.bundle.includes(each));
    if (!isSame) return 0;
    await this.#write({ present: next, next: undefined, bundle: this.#alive(bundle) }, callIn(term));
    const validUntil = new Date(next.notAfter).toISOString();
    logger.info("Replaced the certificate of the webhooks", { secret: `${namespace}/${name}`, validUntil });
    return 0;
  }

  /** Returns the content to be written, where the Secret is not as it should be. */
  async #repair(): Promise<{ readonly content: SecretContent; readonly fault: string } | undefined> {
    const now = this.#options.host.clock.now();
    const kept = this.#kept !== undefined && this.#kept.present.notAfter > now ? this.#kept : undefined;
    const reading = this.#reading;
    if (reading.is !== "valid") {
      const fault = this.#secret === undefined
        ? "it was deleted"
        : reading.is === "broken"
        ? reading.fault
        : "it has no certificate";
      return { fault, content: kept ?? await this.#make(this.#wanted) };
    }
    if (kept === undefined) return undefined;
    const { content } = reading;
    const { certificate } = content.present;
    const isKnown = [kept.present, kept.next].some((each) => each?.certificate === certificate);
    // A holder before us may have replaced it while we did not see it: then it still trusts the certificate that we know.
    if (!isKnown && !content.bundle.includes(kept.present.authority)) {
      return { fault: "it has a certificate that no replica has made", content: kept };
    }
    const missing = this.#alive(kept.bundle).filter((authority) => !content.bundle.includes(authority));
    if (missing.length === 0) return undefined;
    return {
      fault: "authorities were taken away from it",
      content: { ...content, bundle: [...content.bundle, ...missing] },
    };
  }

  /** Where it is made anew, replicas that have another one in memory stay trusted by the configurations. */
  async #make(hosts: readonly string[]): Promise<SecretContent> {
    const present = await this.#sign(hosts);
    return {
      present,
      next: undefined,
      bundle: [present.authority, ...this.#alive(this.#options.standing())],
    };
  }

  #sign(hosts: readonly string[]): Promise<SignedCertificate> {
    const { host: { clock, random }, settings } = this.#options;
    return signCertificate(hosts, {
      now: () => clock.now(),
      randomBytes: (length) => random.bytes(length),
      validity: settings().certificateValidity,
    });
  }

  /** The hosts of all live replicas: another release may be reached by another name. */
  get #wanted(): readonly string[] {
    const { members } = this.#options.replicas;
    const announced = members.filter(({ isLive }) => isLive).flatMap(({ record }) =>
      parseAnnouncement(record.annotations[SERVES])?.hosts ?? []
    );
    return [...new Set([...this.#hosts, ...announced])];
  }

  /** In how many seconds a certificate is to be replaced. */
  #restOf({ notAfter }: SignedCertificate): Seconds {
    const { host: { clock }, settings } = this.#options;
    return (notAfter - clock.now()) / 1000 - settings().certificateValidity * REST;
  }

  /** Leaves out authorities that have expired: so have the certificates that they signed. */
  #alive(bundle: readonly string[]): readonly string[] {
    const now = this.#options.host.clock.now();
    return bundle.filter((authority) => {
      try {
        return Date.parse(this.#reader?.certificateFacts(authority).notAfter ?? "") > now;
      } catch {
        return false;
      }
    });
  }

  async #read(call: WriteCall): Promise<KubeObject | undefined> {
    const { client, place: { namespace, name } } = this.#options;
    try {
      const object = await client.get<KubeObject>(SECRETS, { namespace, name }, { urgent: true, ...call });
      this.#take(object);
      return object;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      this.#lose();
      return undefined;
    }
  }

  /** Creates the Secret, or replaces the state of it that is known. @throws {ApiError} 409, if it is another one by now. */
  async #write(content: SecretContent, call: WriteCall): Promise<void> {
    const { client, place } = this.#options;
    const before = this.#secret?.object;
    const secret = toSecret(content, place, before);
    const options = { urgent: true, ...call };
    const written = before === undefined
      ? await client.create<KubeObject>(SECRETS, secret, options)
      : await client.replace<KubeObject>(SECRETS, secret, options);
    this.#take(written);
  }

  #notice({ event: { type, object } }: ObjectEvent): void {
    if (type !== "DELETED") return this.#take(object);
    if (this.#secret === undefined || this.#secret.object.metadata.uid === object.metadata.uid) this.#lose();
  }

  #take(object: KubeObject): void {
    const { host: { clock }, onRead } = this.#options;
    if (this.#reader === undefined) return;
    if (this.#secret?.object.metadata.uid !== object.metadata.uid) this.#secret = new CachedObject(object);
    else if (this.#secret?.adopt(object, { from: "read" }) !== "newer") return;
    this.#reading = readSecret(object, { reader: this.#reader, now: clock.now() });
    if (this.#reading.is !== "empty") onRead(this.#reading.is === "valid");
    if (this.#reading.is === "valid") this.#consider(this.#reading.content);
    this.#alarm.ring();
  }

  #lose(): void {
    if (this.#secret === undefined) return;
    this.#secret = undefined;
    this.#reading = { is: "empty" };
    this.#alarm.ring();
  }

  /** Presents the certificate of the Secret, at once or later. */
  #consider(content: SecretContent): void {
    const { host: { clock }, settings, logger, standing } = this.#options;
    const { certificate } = content.present;
    const { certificateSettle: settle } = settings();
    const served = this.#served;
    const isExpected = served === undefined || served.certificate === certificate ||
      this.#kept?.next?.certificate === certificate || served.notAfter <= clock.now() ||
      !standing().includes(served.authority);
    this.#patience?.[Symbol.dispose]();
    this.#patience = undefined;
    if (isExpected) return this.#present(content);
    logger.warn("The Secret has a certificate that was not announced: it is presented if it stays", {
      secret: this.#options.place.name,
      in: settle,
    });
    this.#patience = clock.after(settle, () => {
      const reading = this.#reading;
      if (reading.is === "valid" && reading.content.present.certificate === certificate) {
        this.#present(reading.content);
      }
    });
  }

  #present(content: SecretContent): void {
    this.#kept = content;
    this.#served = content.present;
    this.#waiting.serveAll(true);
  }

  #identity(served: SignedCertificate): ServedCertificate {
    const caBundle = (this.#kept?.bundle ?? [served.authority]).join("");
    const isNews = (): boolean =>
      this.#served?.certificate !== served.certificate || this.#kept?.bundle.join("") !== caBundle;
    return {
      tls: { cert: served.certificate, key: served.key },
      caBundle,
      changed: async (signal) => {
        while (!isNews()) if (await this.#waiting.wait(signal) === undefined) return undefined;
        return this.#served === undefined ? undefined : this.#identity(this.#served);
      },
    };
  }

  #reference(): KubeObject {
    const { place: { namespace, name } } = this.#options;
    return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name } };
  }

  [Symbol.dispose](): void {
    this.#patience?.[Symbol.dispose]();
  }
}

/** Whether the Secret is another one than we think, so that it is to be read again. A namespace that is missing does not come by itself. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 409 || (error.status === 404 && error.details?.kind !== "namespaces");
}

/** An error without anything that the server may quote of the Secret. */
function harmless(error: unknown): Error {
  if (!(error instanceof ApiError)) return error instanceof Error ? error : new Error(String(error));
  const { status, reason, missingRight, explanation } = error;
  const isHarmless = missingRight !== undefined || status === 403 || status === 401;
  return new Error(isHarmless ? explanation : `${status} ${reason ?? ""}`.trim());
}
