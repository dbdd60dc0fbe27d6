/**
 * Records which defaults a kube-apiserver gives to the built-in kinds: `deno task kubernetes-defaults` (needs the control plane that
 * `deno task control-plane` builds). With another version of Kubernetes in tests/control_plane/go.mod, this is all there is to do;
 * the diff of lib/kits/apiserver/types/recorded.ts is what is new, and wants to be read.
 *
 * Objects of every kind are posted: empty, and with each field of each struct set to a value, to zero and to nothing. A mutating
 * webhook sees them with their defaults, and before they are checked, so that they need not be valid. Written are, for each type:
 * the fields that are filled in, the fields that change others, and those whose empty value is kept. A place whose type behaves
 * differently there has a table of its own.
 *
 * Discovery, the columns of tables, and an object of each kind that is changed field by field (`defaults/samples.ts`) give the kinds
 * themselves: `recorded_kinds.ts` and `recorded_columns.ts`; `--kinds` writes these alone, in a minute.
 *
 * `--compare` writes nothing: it posts the same objects to the server in the process as well, and tells where the two complete them
 * differently.
 */

import { writeFileSync } from "node:fs";
import process from "node:process";
import { inProcessTarget, realTarget } from "../tests/conformance/apiserver/target.ts";
import { readOptions } from "./options.ts";
import { compareDefaults } from "./defaults/compare.ts";
import { recordKinds } from "./defaults/kinds.ts";
import { Probe } from "./defaults/probe.ts";
import { recordTypes } from "./defaults/record.ts";

const TYPES = new URL("../lib/kits/apiserver/types/", import.meta.url);

/** They change objects before the webhook sees them. */
const DISABLED = [
  "DefaultIngressClass",
  "DefaultStorageClass",
  "DefaultTolerationSeconds",
  "LimitRanger",
  "PodSecurity",
  "PodTopologyLabels",
  "Priority",
  "ResourceQuota",
  "RuntimeClass",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "TaintNodesByCondition",
];

/** The server in the process has nothing of them. */
const NOT_IN_PROCESS = ["TaintNodesByCondition"];

const { values } = readOptions(import.meta.url, {
  options: { compare: { type: "boolean", default: false }, kinds: { type: "boolean", default: false } },
});
const disabled = values.compare ? NOT_IN_PROCESS : DISABLED;
const flags = [`--disable-admission-plugins=${disabled.join(",")}`];
await using target = await realTarget(flags);
await using probe = await Probe.open(target);
if (values.compare) await compare();
else await record();

async function record(): Promise<void> {
  const version = await versionOf();
  const kinds = await recordKinds(target);
  write("recorded_kinds", `The built-in kinds, as a kube-apiserver of version ${version} serves them`, {
    explained: "`served.ts`",
    name: "RECORDED_KINDS",
    lines: kinds.map(({ apiVersion, kind, served }) => `${apiVersion} ${kind} ${JSON.stringify(served)}`),
  });
  write(
    "recorded_columns",
    `The columns of the built-in kinds, as a kube-apiserver of version ${version} has them`,
    {
      explained: "`served.ts`",
      name: "RECORDED_COLUMNS",
      lines: kinds.map(({ apiVersion, served, columns }) =>
        `${apiVersion}/${served.plural} ${JSON.stringify(columns)}`
      ),
    },
  );
  if (values.kinds) return;
  const tables = await recordTypes(probe);
  write(
    "recorded",
    `The defaults of the built-in kinds, as a kube-apiserver of version ${version} gives them`,
    {
      explained: "`completion.ts`",
      name: "RECORDED",
      lines: [...tables].sort(([a], [b]) => a < b ? -1 : 1)
        .map(([type, table]) => `${type} ${JSON.stringify(table)}`),
    },
  );
  console.log(`${tables.size} tables from ${probe.count} objects`);
}

async function compare(): Promise<void> {
  await using ours = await inProcessTarget();
  await using own = await Probe.open(ours);
  const { equal, different } = await compareDefaults(own, probe);
  const unknown = different.filter(({ reason }) => reason === undefined);
  for (const { probe, ours, real } of unknown) {
    console.log(`${probe}\n  ours: ${JSON.stringify(ours)}\n  real: ${JSON.stringify(real)}`);
  }
  const reasons = new Set(different.flatMap(({ reason }) => reason ?? []));
  for (const reason of reasons) {
    console.log(`${different.filter((each) => each.reason === reason).length} with a reason: ${reason}`);
  }
  console.log(`${equal} probes are completed alike, ${unknown.length} differently without a reason`);
  process.exitCode = unknown.length === 0 ? 0 : 1;
}

async function versionOf(): Promise<string> {
  const { gitVersion } = await (await target.send({ method: "GET", path: "/version" })).json();
  return String(gitVersion).replace(/^v/, "");
}

interface TableText {
  /** The place that explains the lines. */
  readonly explained: string;
  readonly name: string;
  readonly lines: readonly string[];
}

/** NB: one entry a line, so that a diff says what a new version changes. */
function write(file: string, title: string, { explained, name, lines }: TableText): void {
  const text = lines.join("\n").replaceAll("`", "\\u0060").replaceAll("${", "\\u0024{");
  writeFileSync(
    new URL(`${file}.ts`, TYPES),
    `/**
 * ${title}.
 *
 * Written by \`deno task kubernetes-defaults\`, never by hand; explained in ${explained}.
 */

export const ${name} = String.raw\`
${text}
\`;
`,
  );
}
