/**
 * Says in one sentence, and with the line, why a file could not be imported.
 *
 * Each runtime puts the place of an error elsewhere: Bun in `position`, Deno at the end of the message, Node at the top
 * of the stack, all of them in the stack's frames where the code itself threw. Here they are read alike.
 */

import type { Host } from "../runtime/host.ts";
import { CommandError, describeError, withoutColours } from "./errors.ts";

/** A place in a source file. */
interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A path with a line, as it stands in messages and stacks: "file:///a/b.ts?fresh=1:4:9", "/a/b.ts:4", "(/a/b.ts:4:9)". */
const PLACE = /(?:file:\/\/)?(\/[^\s:?()"']+\.[cm]?[jt]sx?)(?:\?[^\s:]*)?:(\d+)(?::\d+)?/g;

/** Gives the error to show when a file throws while being imported. */
export async function importError(
  file: string,
  { error, host }: { error: unknown; host: Host },
): Promise<CommandError> {
  const place = placeOf(error);
  const reason = reasonOf(error);
  if (place === undefined) return new CommandError(`Cannot load "${file}": ${reason}`, { cause: error });
  const excerpt = await excerptOf(place, host);
  const message = `Cannot load "${file}": ${reason}\n  at ${place.file}:${place.line}${excerpt}`;
  return new CommandError(message, { cause: error });
}

function placeOf(error: unknown): Place | undefined {
  return positionOf(error) ?? placesIn(error).find((place) => !place.file.includes("/node_modules/"));
}

/** Source: Bun's BuildMessage. */
function positionOf(error: unknown): Place | undefined {
  if (typeof error !== "object" || error === null || !("position" in error)) return undefined;
  const { position } = error;
  if (typeof position !== "object" || position === null || !("file" in position) || !("line" in position)) {
    return undefined;
  }
  if (typeof position.file !== "string" || typeof position.line !== "number") return undefined;
  return { file: position.file, line: position.line };
}

function placesIn(error: unknown): Place[] {
  if (!(error instanceof Error)) return [];
  const text = withoutColours(`${error.message}\n${error.stack ?? ""}`);
  return [...text.matchAll(PLACE)].map(([, file, line]) => ({
    file: decodeURI(file ?? ""),
    line: Number(line),
  }));
}

/** The first line of the message, without the place that some runtimes end it with. */
function reasonOf(error: unknown): string {
  const [first = ""] = describeError(error).split("\n");
  const reason = first.replace(/ at file:\/\/\S+$/, "").trim();
  return error instanceof Error || typeof error === "object" ? reason : `it throws ${JSON.stringify(error)}`;
}

async function excerptOf({ file, line }: Place, host: Host): Promise<string> {
  try {
    const text = (await host.files.readText(file)).split("\n")[line - 1];
    return text === undefined ? "" : `\n  ${line} | ${text}`;
  } catch {
    return ""; // the place may be inside a bundle: then there is no line to show
  }
}
