/**
 * A program of its own that runs two operators, knows when they are ready, and stops them: no command line involved.
 *
 * `deno run -A examples/07-embedding/main.ts`, or with `bun` or `node` in place of `deno run -A`.
 */
import type { RunOptions } from "@lotse/lotse";
import { currentHost } from "@lotse/lotse/host";
import { type Book, chronicler, receptionist } from "./operators.ts";

/** Runs until the signal aborts; `onSynced` gets the book when all guests have been listed, and are about to be seated. */
export async function main(options: RunOptions, onSynced: (book: Book) => void): Promise<void> {
  const book: Book = { seats: new Map() };
  const failing = new AbortController();
  const signal = AbortSignal.any([failing.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const runs = [
    receptionist.run({ ...options, signal, memo: { book }, synced: () => onSynced(book) }),
    chronicler.run({ ...options, signal }),
  ];
  try {
    await Promise.all(runs);
  } finally {
    // If one cannot run, the other is not to go on alone.
    failing.abort();
    await Promise.allSettled(runs);
  }
}

if (import.meta.main) {
  const stopping = new AbortController();
  const { process } = currentHost();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.onSignal(name, () => stopping.abort());
  let guests: Book["seats"] | undefined;
  await main({ signal: stopping.signal, scope: "cluster" }, (book) => {
    guests = book.seats;
  });
  process.write("stdout", `Guests at the end: ${guests?.size ?? 0}\n`);
}
