/**
 * Reads what the three runtimes write as JUnit XML, and returns one result per test that ran.
 *
 * They differ in what a test is. Suites never count. Node and Bun nest suites; Deno lists suites and tests alike, flat,
 * with names such as "suite > test". A test with subtests counts as its subtests on Deno and Node; Bun reports only the
 * test itself. A failure of a suite (a hook that threw) counts as one, if no test in it failed.
 */

import type { RuntimeName } from "./tools.ts";

/** What became of one test. */
export interface TestResult {
  /** The suites' names and its own, joined by " > ". */
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** The failure as the runtime reported it, or the reason of a skip where it says one. */
  readonly message?: string;
}

interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Returns the results of one file's run. */
export function readResults(runtime: RuntimeName, xml: string, file: string): TestResult[] {
  const root = parseXml(xml);
  if (runtime === "deno") {
    const start = `${file} > `;
    return withoutParents(collectCases(root, () => [])).map((one) =>
      one.name.startsWith(start) ? { ...one, name: one.name.slice(start.length) } : one
    );
  }
  // NB: Bun wraps everything in a suite with the file's name; Node reports a file without tests as a passed test of that name.
  const isFile = (name: string) => name === file || file.endsWith(`/${name}`);
  const cases = collectCases(root, (suite) => isFile(suite) ? [] : [suite]);
  return cases.filter(({ name, outcome }) => !(outcome === "passed" && isFile(name)));
}

/** Returns the results of files that ran in one process, by file; of none if the report names none of its tests. */
export function readGroup(
  runtime: RuntimeName,
  xml: string,
  files: readonly string[],
): Map<string, TestResult[]> {
  const root = parseXml(xml);
  // NB: on Deno the names begin with the file by our own hand (`declared_tests.ts`), on Bun a suite has the file's name.
  const cases = runtime === "deno"
    ? withoutParents(collectCases(root, () => []))
    : collectCases(root, (suite) => [suite]);
  return new Map(files.map((file) => {
    const start = `${file} > `;
    const own = cases.filter(({ name }) => name.startsWith(start));
    return [file, own.map((one) => ({ ...one, name: one.name.slice(start.length) }))];
  }));
}

/** All test cases below the element; `pathOf` says what a suite adds to their names. */
function collectCases(element: Element, pathOf: (suite: string) => string[]): TestResult[] {
  return element.children.flatMap((child) => {
    if (child.tag === "testcase") return [toResult(child)];
    const path = child.tag === "testsuite" ? pathOf(child.attributes["name"] ?? "") : [];
    return collectCases(child, pathOf).map((one) => ({ ...one, name: [...path, one.name].join(" > ") }));
  });
}

function toResult({ attributes, children }: Element): TestResult {
  const name = attributes["name"] ?? "";
  const failure = children.find(({ tag }) => tag === "failure" || tag === "error");
  if (failure) {
    return { name, outcome: "failed", message: failure.text.trim() || failure.attributes["message"] };
  }
  const skipped = children.find(({ tag }) => tag === "skipped");
  if (skipped) return { name, outcome: "skipped", message: skipped.attributes["message"] };
  return { name, outcome: "passed" };
}

/** Leaves out what has parts in the list, except where it failed and none of its parts did. */
function withoutParents(cases: readonly TestResult[]): TestResult[] {
  return cases.filter(({ name, outcome }) => {
    const parts = cases.filter((other) => other.name.startsWith(`${name} > `));
    if (parts.length === 0) return true;
    return outcome === "failed" && !parts.some((part) => part.outcome === "failed");
  });
}

const TAG = /<(\/?)([\w-]+)((?:\s+[\w-]+="[^"]*")*)\s*(\/?)>/g;

function parseXml(xml: string): Element {
  const root: Element = { tag: "", attributes: {}, children: [], text: "" };
  const open = [root];
  let end = 0;
  for (const match of xml.matchAll(TAG)) {
    const [whole, closing, tag = "", attributes = "", empty] = match;
    const parent = open.at(-1) ?? root;
    parent.text += decode(xml.slice(end, match.index));
    end = match.index + whole.length;
    if (closing) {
      open.pop();
      continue;
    }
    const element: Element = { tag, attributes: readAttributes(attributes), children: [], text: "" };
    parent.children.push(element);
    if (!empty) open.push(element);
  }
  return root;
}

function readAttributes(text: string): Record<string, string> {
  const found = [...text.matchAll(/([\w-]+)="([^"]*)"/g)];
  return Object.fromEntries(found.map(([, name = "", value = ""]) => [name, decode(value)]));
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hexadecimal) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
    return ENTITIES[name] ?? whole;
  });
}
