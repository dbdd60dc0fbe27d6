/** Who is measured: the same operator on Lotse in its forms, on controller-runtime, kube-rs and Kopf; and loops without any. */

import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findRuntime } from "../../tests/runner/tools.ts";
import { type Build, buildGo, buildLotse, buildRust, installKopf } from "./builds.ts";

/** One who is measured. */
export interface Peer {
  readonly name: string;
  /** In whose place the writers make patches themselves; how many for each object. Undefined: an operator makes them. */
  readonly raw?: number;
  /** Finds or builds the program. */
  readonly find: () => Build;
  /** Its arguments in a namespace. Default: none. */
  readonly args?: (namespace: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A text in the JSON of objects that were handled wholly: where notes are a write of their own, theirs. */
  readonly marker?: string;
  /** The path of its admission webhook. Undefined: it has no server for them. */
  readonly webhook?: string;
}

type Notes = "default" | "annotations" | "none";

const OPERATOR = fileURLToPath(new URL("operator.ts", import.meta.url));

/** Another checkout of Lotse, installed, to be measured beside this one: PEERS_AGAINST is its folder. */
const { PEERS_AGAINST } = process.env;

/** The forms of Lotse by what is in the name. */
const FORMS: Readonly<Record<string, Pick<Peer, "find" | "args">>> = {
  ...runtimesWith(OPERATOR),
  compiled: { find: buildLotse, args: (namespace) => ["--namespace", namespace] },
  ...PEERS_AGAINST === undefined
    ? {}
    : runtimesWith(join(PEERS_AGAINST, "bench/peers/operator.ts"), "-before"),
};

function runtimesWith(operator: string, suffix = ""): Record<string, Pick<Peer, "find" | "args">> {
  return {
    [`deno${suffix}`]: {
      find: () => ({ path: findRuntime("deno").path }),
      args: () => ["run", "--allow-all", operator],
    },
    [`bun${suffix}`]: { find: () => ({ path: findRuntime("bun").path }), args: () => [operator] },
  };
}

const SUFFIXES: Readonly<Record<Notes, string>> = {
  default: "",
  annotations: "-annotations",
  none: "-reconcile",
};

/** All of them, in the order of the tables. */
export const PEERS: readonly Peer[] = [
  { name: "raw-1", raw: 1, find: () => ({ path: "" }) },
  { name: "raw-2", raw: 2, find: () => ({ path: "" }) },
  ...Object.keys(FORMS).flatMap((form) => [
    lotse(form, "default"),
    lotse(form, "annotations"),
    lotse(form, "none"),
  ]),
  {
    name: "controller-runtime-1",
    find: () => buildGo("operator"),
  },
  {
    name: "controller-runtime-32",
    find: () => buildGo("operator"),
    env: { PEERS_WORKERS: "32" },
    webhook: "/mutate-bench-lotse-dev-v1-item",
  },
  { name: "kube-rs", find: buildRust },
  {
    name: "kopf",
    find: installKopf,
    args: (namespace) => [
      "-m",
      "kopf",
      "run",
      "--standalone",
      "--namespace",
      namespace,
      fileURLToPath(new URL("kopf/operator.py", import.meta.url)),
    ],
    marker: "kopf.zalando.org/last-handled-configuration",
    webhook: "/fill",
  },
];

/** What is divided by: the peers of the tables' ratios. */
export const YARDSTICKS: readonly string[] = ["kube-rs", "controller-runtime-32"];

function lotse(form: string, notes: Notes): Peer {
  return {
    name: `lotse-${form}${SUFFIXES[notes]}`,
    find: () => ({ path: "" }),
    ...FORMS[form],
    env: { PEERS_NOTES: notes },
    marker: notes === "annotations" ? "lotse.dev/last-handled-configuration" : undefined,
    webhook: notes === "default" ? "/fill" : undefined,
  };
}
