/**
 * The facts in a certificate or a key: for servers that judge a client by it, for keys that come encrypted, and for certificates
 * that replicas share.
 */

import { createPrivateKey, X509Certificate } from "node:crypto";

/** The facts in a certificate. */
export interface CertificateFacts {
  /** Its parts by their short names, such as `{ O: "system:masters", CN: "admin" }`; several values are a list. */
  readonly subject: Readonly<Record<string, string | readonly string[]>>;
  /** As `subject`. */
  readonly issuer: Readonly<Record<string, string | readonly string[]>>;
  /** In hexadecimal digits. */
  readonly serialNumber: string;
  /** RFC 3339. */
  readonly notBefore: string;
  /** RFC 3339. */
  readonly notAfter: string;
  /** Such as "DNS:localhost, IP Address:127.0.0.1"; empty if there are none. */
  readonly subjectAltName: string;
  /** The certificate itself. PEM. */
  readonly certificate: string;
}

/** Reads a certificate in PEM. @throws {Error} If it is none. */
export function certificateFacts(certificate: string): CertificateFacts {
  const { subject, issuer, serialNumber, validFrom, validTo, subjectAltName } = new X509Certificate(
    certificate,
  );
  return {
    subject: partsOf(subject),
    issuer: partsOf(issuer),
    serialNumber,
    notBefore: new Date(validFrom).toISOString(),
    notAfter: new Date(validTo).toISOString(),
    subjectAltName: subjectAltName ?? "",
    certificate,
  };
}

/**
 * Returns an encrypted key in plain PEM (PKCS#8).
 *
 * @throws {Error} If the password is wrong, or the text is no key.
 */
export function decryptKey(key: string, password: string): string {
  return createPrivateKey({ key, passphrase: password }).export({ type: "pkcs8", format: "pem" }).toString();
}

/** Returns the first of the authorities that has signed the certificate; undefined if none has. Authorities that are none do not count. */
export function issuerOf(certificate: string, authorities: readonly string[]): string | undefined {
  const leaf = new X509Certificate(certificate);
  return authorities.find((authority) => {
    try {
      const issuer = new X509Certificate(authority);
      return issuer.ca && leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
    } catch {
      return false;
    }
  });
}

/** Whether the key belongs to the certificate; false if either is none. Never throws: its error might quote the key. */
export function isKeyOf(key: string, certificate: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Names come as lines, "CN=admin". */
function partsOf(name: string | undefined): Record<string, string | string[]> {
  const parts: Record<string, string | string[]> = Object.create(null);
  for (const line of (name ?? "").split("\n")) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const before = parts[key];
    parts[key] = before === undefined ? value : [before, value].flat();
  }
  return parts;
}
