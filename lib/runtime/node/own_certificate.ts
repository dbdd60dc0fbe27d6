/**
 * Servers whose own certificate is among the trusted ones, although it is no authority.
 *
 * Go trusts such a server; OpenSSL and rustls ask for an authority above it. Kubernetes' world relies on Go: envtest, with which
 * operators in Go test their webhooks, gives the webhook's own certificate as `caBundle`. Source: Go, crypto/x509, Certificate.Verify.
 */

import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { TLSSocket } from "node:tls";

/** Codes of the error that no trusted authority has signed the certificate. */
const UNSIGNED = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
];

/** Returns the certificates that the server may present itself, after it was refused with this error; empty: it stays refused. */
export function ownCertificates(error: unknown, ca: string): X509Certificate[] {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!UNSIGNED.includes(code)) return [];
  const blocks = ca.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block)).filter((certificate) => !certificate.ca);
}

/** Whether the server has presented one of these, and it is valid now, and for this server. */
export function presentsOneOf(trusted: readonly X509Certificate[], socket: TLSSocket, name: string): boolean {
  const presented = socket.getPeerX509Certificate();
  if (presented === undefined || !trusted.some(({ raw }) => raw.equals(presented.raw))) return false;
  const now = Date.now();
  const isValid = Date.parse(presented.validFrom) <= now && now <= Date.parse(presented.validTo);
  const named = isIP(name) === 0 ? presented.checkHost(name) : presented.checkIP(name);
  return isValid && named !== undefined;
}
