/**
 * Media types as headers list them: `Accept` and `Content-Type`.
 *
 * Source: RFC 9110, sections 8.3 and 12.5.1.
 */

/** The media type of configurations that are applied. */
export const APPLY_PATCH = "application/apply-patch+yaml";

/** One entry of an `Accept` header. */
export interface MediaType {
  /** Such as "application/json". */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads an `Accept` or `Content-Type` header: the type of the highest quality comes first. */
export function parseMediaTypes(header: string): MediaType[] {
  const types = header.split(",").filter((part) => part.trim() !== "").map((part) => {
    const [type = "", ...rest] = part.split(";").map((piece) => piece.trim());
    const parameters = new Map<string, string>();
    for (const piece of rest) {
      const [key = "", value = ""] = piece.split("=");
      parameters.set(key.toLowerCase(), value);
    }
    return { type: type.toLowerCase(), parameters };
  });
  return types.length < 2 ? types : types.sort((a, b) => qualityOf(b) - qualityOf(a));
}

/** NB: of two that are wanted as much, the one without a star goes first. */
function qualityOf({ type, parameters }: MediaType): number {
  const quality = Number(parameters.get("q") ?? 1);
  return (Number.isNaN(quality) ? 1 : quality) - (type.includes("*") ? 1e-6 : 0);
}
