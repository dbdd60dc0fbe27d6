/**
 * The Secret that holds the certificate of an operator's webhooks, which all its replicas share: its content, read and written.
 *
 * Each certificate is signed by an authority of its own, whose key is forgotten at once. The bundle has the authorities of all
 * certificates that a replica may still present. While a certificate is replaced, the next one stands beside the present one.
 * NB: no error and no fault names a value of the Secret.
 */

import { fromBase64, toBase64 } from "../../model/encoding.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { AdmissionSettings } from "../../settings/sections.ts";
import { subjectOf } from "./subject.ts";

/** A certificate, the key that belongs to it, and the authority that has signed it. PEM. */
export interface SignedCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
  /** In milliseconds since 1970. */
  readonly notAfter: number;
  /** The names and addresses for which it is valid. */
  readonly hosts: readonly string[];
}

/** The content of the Secret. */
export interface SecretContent {
  readonly present: SignedCertificate;
  /** The certificate that takes its place once the API servers know its authority. */
  readonly next: SignedCertificate | undefined;
  /** The authorities by which the API server trusts the replicas. PEM, each once. */
  readonly bundle: readonly string[];
}

/** A Secret, read. */
export type SecretReading =
  | { readonly is: "valid"; readonly content: SecretContent }
  /** It has no certificate: it was just made. */
  | { readonly is: "empty" }
  | { readonly is: "broken"; readonly fault: string };

/** The functions that read certificates: loaded when they are needed. */
export type CertificateReader = typeof import("../../runtime/certificate_facts.ts");

const KEYS = {
  certificate: "tls.crt",
  key: "tls.key",
  bundle: "ca.crt",
  nextCertificate: "next.crt",
  nextKey: "next.key",
} as const;

/** Reads the Secret. `now`: in milliseconds since 1970. Never throws. */
export function readSecret(
  object: KubeObject,
  { reader, now }: { readonly reader: CertificateReader; readonly now: number },
): SecretReading {
  const text = (key: string): string => {
    const data = isObject(object["data"]) ? object["data"][key] : undefined;
    return typeof data === "string" ? fromBase64(data) ?? "" : "";
  };
  const [certificate, key] = [text(KEYS.certificate), text(KEYS.key)];
  if (certificate === "" && key === "" && text(KEYS.bundle) === "") return { is: "empty" };
  const bundle = splitCertificates(text(KEYS.bundle));
  const present = readSigned({ certificate, key }, { bundle, reader });
  if (typeof present === "string") return { is: "broken", fault: present };
  if (present.notAfter <= now) return { is: "broken", fault: "its certificate has expired" };
  const next = readSigned({ certificate: text(KEYS.nextCertificate), key: text(KEYS.nextKey) }, {
    bundle,
    reader,
  });
  const isUsable = typeof next !== "string" && next.notAfter > now;
  return { is: "valid", content: { present, next: isUsable ? next : undefined, bundle } };
}

/** Returns the fault, where it is none. */
function readSigned(
  { certificate, key }: { readonly certificate: string; readonly key: string },
  { bundle, reader }: { readonly bundle: readonly string[]; readonly reader: CertificateReader },
): SignedCertificate | string {
  let facts: ReturnType<CertificateReader["certificateFacts"]>;
  try {
    facts = reader.certificateFacts(certificate);
  } catch {
    return `"${KEYS.certificate}" holds no certificate`;
  }
  if (!reader.isKeyOf(key, certificate)) {
    return `"${KEYS.key}" does not belong to the certificate in "${KEYS.certificate}"`;
  }
  const authority = reader.issuerOf(certificate, bundle);
  if (authority === undefined) {
    return `no authority in "${KEYS.bundle}" has signed the certificate in "${KEYS.certificate}"`;
  }
  const hosts = facts.subjectAltName.split(", ").map((name) => name.replace(/^[^:]*:/, ""));
  return { certificate, key, authority, notAfter: Date.parse(facts.notAfter), hosts };
}

/** The annotation of the Secret by which people have the certificate replaced at once, whatever its value. */
export const ROTATE = "lotse.dev/rotate";

export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
  /** Put onto it, so that it is found. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Returns the place of the Secret of an operator, by the place and the name of its Leases. */
export function placeOfSecret(
  { namespace, name }: { readonly namespace: string; readonly name: string },
): SecretPlace {
  return { namespace, name: `${name}-webhook`, labels: { "lotse.dev/replicas": name } };
}

/** Returns the object to be written. `before` is the Secret that it replaces: labels and data of strangers stay. */
export function toSecret(
  { present, next, bundle }: SecretContent,
  { namespace, name, labels }: SecretPlace,
  before?: KubeObject,
): KubeObject {
  const strangers = Object.entries(isObject(before?.["data"]) ? before["data"] : {}).filter(([key]) =>
    !(Object.values(KEYS) as readonly string[]).includes(key)
  );
  const data = {
    ...Object.fromEntries(strangers),
    [KEYS.certificate]: toBase64(present.certificate),
    [KEYS.key]: toBase64(present.key),
    [KEYS.bundle]: toBase64(bundle.join("")),
    ...next !== undefined && {
      [KEYS.nextCertificate]: toBase64(next.certificate),
      [KEYS.nextKey]: toBase64(next.key),
    },
  };
  const { [ROTATE]: wish, ...annotations } = before?.metadata.annotations ?? {};
  // The wish stays until there is a next certificate.
  if (wish !== undefined && next === undefined) annotations[ROTATE] = wish;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      ...before?.metadata,
      name,
      namespace,
      labels: { ...before?.metadata.labels, ...labels },
      annotations,
    },
    // The type of a Secret cannot be changed.
    type: before?.["type"] ?? "kubernetes.io/tls",
    data,
  };
}

/** The part of a certificate's validity that is left when it is replaced. */
export const REST = 1 / 3;

/** @throws {RangeError} If certificates would expire before the next ones are presented. */
export function checkCertificateTimes(
  { certificateValidity, certificateSettle }: Pick<
    AdmissionSettings,
    "certificateValidity" | "certificateSettle"
  >,
): void {
  if (certificateSettle < certificateValidity * REST) return;
  throw new RangeError(
    `"admission.certificateSettle" (${certificateSettle} s) must be less than a third of "admission.certificateValidity" (${certificateValidity} s): certificates are replaced after two thirds, and would expire before the next ones are presented`,
  );
}

/** The parts of the host that make keys. */
export interface Signing {
  readonly now: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly validity: Seconds;
}

/** Makes an authority, has it sign a certificate for the hosts, and forgets its key. */
export async function signCertificate(
  hosts: readonly string[],
  { now, randomBytes, validity }: Signing,
): Promise<SignedCertificate> {
  // Loading it takes longer than all of the rest, and most starts find a certificate.
  const { createAuthority } = await import("../../runtime/certificates.ts");
  const days = validity / 86_400;
  const authority = await createAuthority({ name: "Lotse admission webhooks", days, now, randomBytes });
  const { certificate, key } = await authority.issue({ ...subjectOf(hosts), days, server: true });
  const notAfter = Math.floor((now() + validity * 1000) / 1000) * 1000;
  return { certificate, key, authority: authority.certificate, notAfter, hosts };
}

/** Returns the certificates of a PEM text, each once and in their order; empty if there are none. Text between them does not count. */
export function splitCertificates(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return [...new Set(blocks.map((block) => `${block}\n`))];
}

/** Whether a certificate is valid for each of the hosts. */
export function covers({ hosts }: Pick<SignedCertificate, "hosts">, wanted: readonly string[]): boolean {
  const { dnsNames, ipAddresses } = subjectOf(wanted);
  const known = new Set(hosts.map(canonical));
  return [...dnsNames, ...ipAddresses].every((host) => known.has(canonical(host)));
}

/** NB: runtimes write addresses of IPv6 in different ways. A URL has one. */
function canonical(host: string): string {
  return host.includes(":") && URL.canParse(`http://[${host}]`)
    ? new URL(`http://[${host}]`).hostname
    : host.toLowerCase();
}
