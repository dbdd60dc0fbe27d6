/**
 * The way of a corpus: every definition and every sample, plain and mutated, to both servers.
 */

import type { JsonObject } from "../../lib/model/object.ts";
import { type Answer, compareAnswers, type Difference, differInOrderOnly } from "./comparison.ts";
import type { Corpus, CorpusDocument } from "./documents.ts";
import { isObject } from "./documents.ts";
import { KNOWN, ORDER } from "./known.ts";
import { mutated } from "./mutation.ts";
import type { Servers } from "./servers.ts";

/** What is counted. */
export const SECTIONS = ["definitions", "mutated definitions", "samples", "mutated samples"] as const;
export type Section = (typeof SECTIONS)[number];

/** An object that was not answered alike. */
export interface Finding {
  readonly section: Section;
  readonly source: string;
  readonly object: JsonObject;
  readonly differences: readonly Difference[];
  /** Both refuse it for the same causes, in another order. */
  readonly orderOnly: boolean;
  /** Why, if that is known of all differences. */
  readonly reason?: string;
}

/** What came out. */
export interface Outcome {
  readonly posted: Readonly<Record<Section, number>>;
  readonly findings: readonly Finding[];
}

export interface PostingOptions {
  /** Of the mutations. */
  readonly seed: number;
  /** How many mutations of each object. */
  readonly mutations: number;
}

/** Posts a corpus. */
export async function postCorpus(
  servers: Servers,
  corpus: Corpus,
  { seed, mutations }: PostingOptions,
): Promise<Outcome> {
  const posted = { "definitions": 0, "mutated definitions": 0, "samples": 0, "mutated samples": 0 };
  const findings: Finding[] = [];
  const tryOut = async (section: Section, { source, object }: CorpusDocument) => {
    const answers = await servers.tryOut(object);
    if (answers === undefined) return;
    posted[section]++;
    const finding = findingOf(answers, generateNameOf(object));
    if (finding !== undefined) findings.push({ section, source, object, ...finding });
  };
  const tryOutAll = async (section: "definitions" | "samples", documents: readonly CorpusDocument[]) => {
    for (const document of documents) await tryOut(section, document);
    for (const [index, document] of documents.entries()) {
      for (let i = 0; i < mutations; i++) {
        const object = mutated(document.object, seed + index * mutations + i);
        await tryOut(`mutated ${section}`, { ...document, object });
      }
    }
  };
  await tryOutAll("definitions", corpus.definitions);
  const names = new Set<string>();
  for (const { object } of corpus.definitions) {
    const name = String(isObject(object.metadata) ? object.metadata.name : "");
    if (!names.has(name) && await servers.install(withoutConversion(object))) names.add(name);
  }
  await servers.settle();
  await tryOutAll("samples", corpus.samples);
  return { posted, findings };
}

/** Webhooks of the corpus lead nowhere. */
function withoutConversion(definition: JsonObject): JsonObject {
  const { conversion: _conversion, ...spec } = isObject(definition.spec) ? definition.spec : {};
  return { ...definition, spec };
}

function generateNameOf({ metadata }: JsonObject): string | undefined {
  return isObject(metadata) && typeof metadata.generateName === "string" ? metadata.generateName : undefined;
}

function findingOf(
  { ours, theirs }: { readonly ours: Answer; readonly theirs: Answer },
  prefix: string | undefined,
): Pick<Finding, "differences" | "orderOnly" | "reason"> | undefined {
  const differences = compareAnswers(ours, theirs, prefix);
  if (differences.length === 0) return undefined;
  // NB: the message says more than the code, and all that the causes say.
  const isRefused = differences.some(({ path }) => path === "body.message");
  const told = differences.filter(({ path }) =>
    path !== "code" && !(isRefused && path.startsWith("body.details"))
  );
  const reasons = told.map((difference) => KNOWN.find((known) => known.matches(difference))?.reason);
  const known = reasons.every((found) => found !== undefined) ? reasons[0] : undefined;
  const orderOnly = differInOrderOnly(ours, theirs);
  return { differences, orderOnly, reason: orderOnly ? ORDER : known };
}
