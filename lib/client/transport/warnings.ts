/**
 * Warnings in the answers of the server, such as that a version of an API will go: each text is logged once.
 *
 * Source: Kubernetes blog, "Warning: Helpful Warnings Ahead"; RFC 7234, section 5.5.
 */

import type { Logger } from "../../runtime/logging.ts";

/** How many different texts are remembered. */
const MOST: number = 1000;

/** How much of a text is logged, in characters. */
const LONGEST = 1024;

/** Logs each warning once. */
export class Warnings {
  readonly #logger: Logger;
  readonly #told = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Takes the header of an answer; several warnings are joined by commas. */
  report(header: string, request: string): void {
    for (const text of parseWarnings(header)) {
      if (this.#told.has(text)) continue;
      // Texts that name objects are without end: they are logged again, rather than kept for ever.
      if (this.#told.size >= MOST) this.#told.clear();
      this.#told.add(text);
      this.#logger.warn("The server warns", { warning: text, request });
    }
  }
}

/** Returns the texts of a `Warning` header: `299 - "text"`. */
export function parseWarnings(header: string): string[] {
  const texts = header.matchAll(/\b\d{3} [^\s"]+ "((?:[^"\\]|\\.)*)"/g);
  return [...texts].map(([, text = ""]) => text.replaceAll(/\\(.)/g, "$1").slice(0, LONGEST));
}
