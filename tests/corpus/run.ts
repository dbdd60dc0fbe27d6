/**
 * Posts a corpus to a real kube-apiserver and to the server in the process, and tells what they answer differently:
 * `deno task corpus FOLDER` (needs the control plane that `deno task control-plane` builds).
 *
 * FOLDER holds YAML, or archives of it (`*.tar.xz`): definitions of custom kinds, and objects of these and of built-in kinds, in any files. Each is posted with
 * dryRun=All as it is and with one or two members changed; compared are status code, message, warnings, and the object that
 * would be stored. `--seed 1` and `--mutations 2` (of each object) say which changes; `--answers FILE` keeps the real server's
 * answers, so that the next run needs it only for what is new; `--verbose` prints all that differs. Ends with 1 if there is a
 * difference that tests/corpus/known.ts gives no reason for.
 */

import { rmSync } from "node:fs";
import process from "node:process";
import { readOptions } from "../../tools/options.ts";
import { readCorpus, unpackedCorpus } from "./documents.ts";
import { type Finding, type Outcome, postCorpus, SECTIONS } from "./posting.ts";
import { Servers } from "./servers.ts";

/** How many characters are shown, and how many of them before the first that differs. */
const SHOWN = 600;
const BEFORE = 60;

const { values: flags, positionals: [folder] } = readOptions(import.meta.url, {
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    mutations: { type: "string", default: "2" },
    answers: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
if (folder === undefined) {
  console.error("Which folder? `deno task corpus FOLDER`");
  process.exit(2);
}
const unpacked = unpackedCorpus(folder);
const corpus = readCorpus(unpacked);
if (unpacked !== folder) rmSync(unpacked, { recursive: true });
await using servers = await Servers.open({ answers: flags.answers });
const outcome = await postCorpus(servers, corpus, {
  seed: Number(flags.seed),
  mutations: Number(flags.mutations),
});
for (const finding of outcome.findings) {
  if (flags.verbose || finding.reason === undefined) console.log(described(finding, flags.verbose));
}
console.log(summaryOf(outcome));
process.exitCode = outcome.findings.some(({ reason }) => reason === undefined) ? 1 : 0;

function described({ section, source, differences, orderOnly, reason }: Finding, isWhole: boolean): string {
  const lines = differences.slice(0, isWhole ? undefined : 3).map(({ path, ours, theirs }) => {
    const [one, other] = [shown(ours), shown(theirs)];
    const from = isWhole ? 0 : Math.max(0, partingOf(one, other) - BEFORE);
    const cut = (text: string) => `${from > 0 ? "…" : ""}${text.slice(from, from + SHOWN)}`;
    return `  ${path}\n    ours: ${cut(one)}\n    real: ${cut(other)}`;
  });
  const rest = differences.length - lines.length;
  const title = `${section}: ${source}${orderOnly ? " (in another order)" : ""}`;
  return [
    reason === undefined ? title : `${title}\n  known: ${reason}`,
    ...lines,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ].join("\n");
}

function shown(value: unknown): string {
  return value === undefined ? "(nothing)" : JSON.stringify(value);
}

/** Returns where two texts part. */
function partingOf(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  return index;
}

function summaryOf({ posted, findings }: Outcome): string {
  return SECTIONS.map((section) => {
    const found = findings.filter((finding) => finding.section === section);
    const codes = found.filter(({ differences: [first] }) => first?.path === "code").length;
    const order = found.filter(({ orderOnly }) => orderOnly).length;
    const equal = posted[section] - found.length;
    const share = posted[section] === 0 ? "" : ` (${(100 * equal / posted[section]).toFixed(1)}%)`;
    return `${section}: ${equal} of ${
      posted[section]
    } alike${share}, ${codes} with another code, ${order} in another order`;
  }).join("\n");
}
