/**
 * Checks Mermaid's pictures in Markdown by the part of its language that this repository uses, line by line: whatever is
 * in no row here is reported, though Mermaid may take it. Why so, and no parser of Mermaid: docs/decisions.
 */

/** A fault of a picture. */
export interface PictureFault {
  /** The line in the page, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** The kinds of pictures, by their first word, with their lines. */
const KINDS: Readonly<Record<string, readonly RegExp[]>> = {
  flowchart: linesOf(
    String.raw`subgraph \w+ ?(\["[^"\[\]]+"\])?`,
    "end",
    "direction (LR|TD)",
    String.raw`NODE( ARROW NODE)*`,
  ),
  sequenceDiagram: linesOf(
    String.raw`(participant|actor) \w+( as [^:;#]+)?`,
    String.raw`\w+ ?(->>|-->>|-x) ?\w+: [^;#]+`,
    String.raw`Note (over|left of|right of) \w+(,\w+)?: [^;#]+`,
    "(loop|alt|opt|else) [^;#]+",
    "end",
  ),
  "stateDiagram-v2": linesOf(
    "direction (LR|TD)",
    String.raw`(\w+|\[\*\]) --> (\w+|\[\*\])(: [^;#:]+)?`,
    String.raw`\w+: [^;#:]+`,
    String.raw`state "[^"]+" as \w+`,
  ),
  timeline: linesOf("title [^:;#]+", "section [^:;#]+", "[^:;#]+( : [^:;#]+)+"),
};

/** Words that are nodes to nobody: Mermaid reads them as its own. */
const RESERVED = /(^|\s)(end|graph|default|class|style|click)(\s|\[|\(|$)/;

function linesOf(...patterns: readonly string[]): RegExp[] {
  const node = String.raw`\w+(\["[^"\[\]]+"\]|\(\["[^"\[\]]+"\]\)|\{"[^"{}]+"\}|\[\("[^"()]+"\)\])?`;
  const arrow = String.raw`(-->|---|-\.->|==>)(\|"[^"|]+"\|)?`;
  return patterns.map((pattern) =>
    new RegExp(`^(?:${pattern.replaceAll("NODE", node).replaceAll("ARROW", arrow)})$`)
  );
}

/** Returns the faults of all pictures of a page. */
export function picturesIn(page: string): PictureFault[] {
  return [...page.matchAll(/^```mermaid\n([^]*?)^```$/gm)].flatMap(({ index, 1: text = "" }) => {
    const first = page.slice(0, index).split("\n").length + 1;
    return faultsOf(text).map(({ line, reason }) => ({ line: first + line - 1, reason }));
  });
}

function faultsOf(text: string): PictureFault[] {
  const rows = text.trimEnd().split("\n").map((row) => row.trim());
  const [head = ""] = rows;
  const [, kind = ""] =
    /^(flowchart (?=(?:LR|TD)$)|sequenceDiagram$|stateDiagram-v2$|timeline$)/.exec(head) ?? [];
  const known = KINDS[kind.trim()];
  if (known === undefined) return [{ line: 1, reason: `"${head}" is no picture that is used here` }];
  const faults: PictureFault[] = [];
  let open = 0;
  for (const [index, row] of rows.entries()) {
    if (index === 0 || row === "") continue;
    const line = index + 1;
    if (/^(subgraph|loop|alt|opt) /.test(row)) open++;
    if (row === "end" && --open < 0) faults.push({ line, reason: '"end" of nothing' });
    if (!known.some((pattern) => pattern.test(row))) faults.push({ line, reason: `not understood: ${row}` });
    else if (kind.startsWith("flowchart") && row !== "end" && RESERVED.test(row.replace(/"[^"]*"/g, ""))) {
      faults.push({ line, reason: `a word of Mermaid's own: ${row}` });
    }
  }
  if (open > 0) faults.push({ line: rows.length, reason: 'an "end" is missing' });
  if (rows.filter((row) => row !== "").length < 2) faults.push({ line: 1, reason: "nothing is in it" });
  return faults;
}
