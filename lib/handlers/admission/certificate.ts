/**
 * The server's TLS certificate, and how it is replaced: certificates from files that change, or
 * made in the process and renewed long before they expire.
 */

import type { Host, Seconds, ServerTls } from "../../runtime/host.ts";
import type { WebhookServerOptions } from "./server_options.ts";

/** A certificate in use. */
export interface Identity {
  readonly tls: ServerTls;
  /** The authorities by which clients are to trust it. PEM. */
  readonly caBundle: string;
  /** Waits until it is to be replaced, and returns the next one; undefined if the signal aborts first. */
  changed(signal: AbortSignal): Promise<Identity | undefined>;
}

interface Place {
  readonly host: Host;
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
): Promise<Identity | undefined> {
  if (options.insecure === true) return undefined;
  if (options.tls !== undefined || options.certfile !== undefined) return await readIdentity(options, place);
  return await makeIdentity(options, place);
}

async function readIdentity(options: WebhookServerOptions, place: Place): Promise<Identity> {
  const { fileCheckInterval = 60 } = options;
  const { files, clock } = place.host;
  const read = async (): Promise<Pick<Identity, "tls" | "caBundle">> => {
    const tls = { ...await keyPairOf(options, place), ...await clientCheckOf(options, place) };
    const given = options.cadata ?? (options.cafile && await files.readText(options.cafile));
    return { tls, caBundle: given ?? tls.cert };
  };
  const identityOf = (current: Pick<Identity, "tls" | "caBundle">): Identity => ({
    ...current,
    async changed(signal) {
      const before = JSON.stringify(current);
      while (await clock.sleep(fileCheckInterval, signal)) {
        // NB: files are replaced one after the other: a certificate and a key that do not fit yet are read again the next time.
        const next = await read().catch(() => undefined);
        if (next !== undefined && JSON.stringify(next) !== before && await fits(next.tls)) {
          return identityOf(next);
        }
      }
      return undefined;
    },
  });
  return identityOf(await read());
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
async function makeIdentity(options: WebhookServerOptions, place: Place): Promise<Identity> {
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
  const issue = async (): Promise<Identity> => {
    const { certificate, key } = await authority.issue({ ...subject, days: VALID_DAYS, server: true });
    return {
      tls: { cert: certificate, key, ...check },
      caBundle,
      changed: async (signal) => await clock.sleep(RENEWAL, signal) ? await issue() : undefined,
    };
  };
  return await issue();
}

/** Sorts names and addresses; addresses that stand for all interfaces are left out. */
export function subjectOf(
  hosts: readonly string[],
): {
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
} {
  const given = hosts.map((host) => host.replace(/^\[(.*)\]$/, "$1").toLowerCase())
    .filter((host) => host !== "" && host !== "0.0.0.0" && host !== "::");
  const unique = [...new Set(given)];
  const ipAddresses = unique.filter(isAddress);
  const dnsNames = unique.filter((host) => !isAddress(host));
  return { commonName: dnsNames[0] ?? ipAddresses[0] ?? "localhost", dnsNames, ipAddresses };
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}
