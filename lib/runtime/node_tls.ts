/** Looks at TLS material before it is used, so that a broken file is named when it is read, not at the first request. */

import { createPrivateKey, X509Certificate } from "node:crypto";

/** PEM texts that belong to one side of a connection. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** @throws {Error} If a text cannot be parsed, or one of certificate and key is there without the other; the message says which. */
export function checkTls({ ca, cert, key }: TlsMaterial): void {
  if (ca !== undefined) checkCertificates(ca, "certificate authority");
  if (cert !== undefined) checkCertificates(cert, "certificate");
  if (key !== undefined) checkKey(key);
  if (cert !== undefined && key === undefined) {
    throw new Error("Cannot use the certificate: its key is missing");
  }
  if (key !== undefined && cert === undefined) {
    throw new Error("Cannot use the key: its certificate is missing");
  }
  if (
    cert !== undefined && key !== undefined &&
    !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  ) {
    throw new Error("Cannot use the key: it does not belong to the certificate");
  }
}

function checkCertificates(text: string, what: string): void {
  const blocks = text.match(/-----BEGIN [A-Z0-9 ]*CERTIFICATE-----[^]*?-----END [A-Z0-9 ]*CERTIFICATE-----/g);
  if (!blocks) throw new Error(`Cannot use the ${what}: it holds no PEM block "CERTIFICATE"`);
  for (const block of blocks) attempt(what, () => new X509Certificate(block));
}

function checkKey(text: string): void {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(text)) {
    throw new Error("Cannot use the key: it is encrypted, and nobody is there to ask for a password");
  }
  attempt("key", () => createPrivateKey(text));
}

function attempt(what: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    throw new Error(`Cannot use the ${what}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}
