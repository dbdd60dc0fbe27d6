/**
 * The server's TLS certificate, and how it is replaced: certificates from files that change, shared by replicas, or made in the
 * process and renewed long before they expire.
 */

import type { Seconds, ServerTls } from "../../runtime/host.ts";
import type { AdmissionServerContext, ServedCertificate } from "../../settings/admission_server.ts";
import type { WebhookServerOptions } from "./server_options.ts";
import { subjectOf } from "./subject.ts";

interface Place extends Pick<AdmissionServerContext, "host" | "shared" | "read"> {
  /** By which name or address clients know the server. */
  readonly name: string;
}

/** How long a certificate that we make is valid, in days; it is renewed after two thirds of that. */
const VALID_DAYS = 365;
const RENEWAL: Seconds = VALID_DAYS * 86400 * 2 / 3;

/** Returns the first one; undefined for plain HTTP. @throws {Error} If files cannot be read or used. */
export async function openIdentity(
  options: WebhookServerOptions,
  place: Place,
): Promise<ServedCertificate | undefined> {
  if (options.insecure === true) return undefined;
  if (options.tls !== undefined || options.certfile !== undefined) return await readIdentity(options, place);
  if (place.shared !== undefined) return await shareIdentity(options, { ...place, shared: place.shared });
  return await makeIdentity(options, place);
}

/** The certificate of all replicas; how clients are checked is each server's own. */
async function shareIdentity(
  options: WebhookServerOptions,
  place: Place & Required<Pick<Place, "shared">>,
): Promise<ServedCertificate> {
  const check = await clientCheckOf(options, place);
  const given = options.cadata ?? (options.cafile && await place.host.files.readText(options.cafile));
  const identityOf = (shared: ServedCertificate): ServedCertificate => ({
    tls: { ...shared.tls, ...check },
    caBundle: given || shared.caBundle,
    changed: async (signal) => {
      const next = await shared.changed(signal);
      return next && identityOf(next);
    },
  });
  return identityOf(await place.shared(hostsOf(options, place)));
}

function hostsOf(
  { extraSans = [], addr = "" }: WebhookServerOptions,
  { name }: Pick<Place, "name">,
): string[] {
  const { dnsNames, ipAddresses } = subjectOf([name, ...extraSans, addr]);
  return [...dnsNames, ...ipAddresses];
}

async function readIdentity(options: WebhookServerOptions, place: Place): Promise<ServedCertificate> {
  const { fileCheckInterval = 60 } = options;
  const { files, clock } = place.host;
  const read = async (): Promise<Pick<ServedCertificate, "tls" | "caBundle">> => {
    const tls = { ...await keyPairOf(options, place), ...await clientCheckOf(options, place) };
    const given = options.cadata ?? (options.cafile && await files.readText(options.cafile));
    return { tls, caBundle: given ?? tls.cert };
  };
  const identityOf = (current: Pick<ServedCertificate, "tls" | "caBundle">): ServedCertificate => ({
    ...current,
    async changed(signal) {
      const before = JSON.stringify(current);
      while (await clock.sleep(fileCheckInterval, signal)) {
        // NB: files are replaced one after the other: a certificate and a key that do not fit yet are read again the next time.
        const next = await read().catch(() => undefined);
        const isGood = next !== undefined && await fits(next.tls);
        place.read?.(isGood);
        if (isGood && JSON.stringify(next) !== before) return identityOf(next);
      }
      return undefined;
    },
  });
  try {
    const first = await read();
    place.read?.(true);
    return identityOf(first);
  } catch (error) {
    place.read?.(false);
    throw error;
  }
}

async function keyPairOf(options: WebhookServerOptions, { host }: Place): Promise<ServerTls> {
  const { tls, certfile = "", pkeyfile = "", password } = options;
  if (tls !== undefined) return tls;
  const [cert, key] = await Promise.all([host.files.readText(certfile), host.files.readText(pkeyfile)]);
  if (password === undefined) return { cert, key };
  const { decryptKey } = await import("../../runtime/certificate_facts.ts");
  return { cert, key: decryptKey(key, password) };
}

/** Returns how clients' certificates are checked. */
async function clientCheckOf(
  { verifyCadata, verifyCafile, verifyMode = "optional" }: WebhookServerOptions,
  { host }: Place,
): Promise<Pick<ServerTls, "ca" | "requireCertificate">> {
  const ca = verifyCadata ?? (verifyCafile && await host.files.readText(verifyCafile));
  if (!ca || verifyMode === "none") return {};
  return { ca, requireCertificate: verifyMode === "required" };
}

async function fits(tls: ServerTls): Promise<boolean> {
  const { checkTls } = await import("../../runtime/node/dial.ts");
  try {
    checkTls(tls);
    return true;
  } catch {
    return false;
  }
}

/** An authority of the process's own signs; it outlives its certificates, so that clients trust a renewed certificate, too. */
async function makeIdentity(options: WebhookServerOptions, place: Place): Promise<ServedCertificate> {
  const { clock, random } = place.host;
  // Loading it takes longer than all of the rest, and operators with certificates of their own do not need it.
  const { createAuthority } = await import("../../runtime/certificates.ts");
  const authority = await createAuthority({
    name: "Lotse admission webhooks",
    now: () => clock.now(),
    randomBytes: (length) => random.bytes(length),
  });
  const check = await clientCheckOf(options, place);
  const caBundle = options.cadata ??
    (options.cafile && await place.host.files.readText(options.cafile)) ?? authority.certificate;
  const subject = subjectOf([place.name, ...options.extraSans ?? [], options.addr ?? ""]);
  const issue = async (): Promise<ServedCertificate> => {
    const { certificate, key } = await authority.issue({ ...subject, days: VALID_DAYS, server: true });
    return {
      tls: { cert: certificate, key, ...check },
      caBundle,
      changed: async (signal) => await clock.sleep(RENEWAL, signal) ? await issue() : undefined,
    };
  };
  return await issue();
}
