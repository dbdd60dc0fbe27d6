/** The documentation is true as far as a machine can tell: its links lead somewhere, its examples exist. That its
 * code compiles is tested in tests/types. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { CAUSES, NAMES, OPTIONS, SETTINGS } from "./kopf_names.ts";
import { constantsOf, findDeadLinks, findLongLines, pages, quotedMessages } from "./pages.ts";
import { assertNone, filesBelow, readTree, ROOT } from "./tree.ts";

const concepts = filesBelow("docs/", ".md").filter((path) => /^docs\/[^/]+$/.test(path));

/** Pages with a complete example; tests/examples runs all that have a README. */
const WITH_EXAMPLE = [
  "causes",
  "embedding",
  "errors",
  "filters",
  "handlers",
  "hierarchies",
  "patches",
  "persistence",
  "results",
  "selectors",
  "subhandlers",
];

describe("The documentation", () => {
  it("has no link that leads nowhere", () => {
    assertNone(pages().flatMap((page) => findDeadLinks(page, readTree(page))), "dead links");
  });

  it("has lines that fit into a terminal and a diff", () => {
    // Printed from the code, and a list with one line for each feature.
    const written = pages().filter((page) => !page.startsWith("docs/reference/") && page !== "CHANGELOG.md");
    const all = [...written, "CONTRIBUTING.md", "bench/README.md", ...filesBelow("tests/", ".md")];
    assertNone(all.flatMap((page) => findLongLines(page, readTree(page))), "lines are too long");
  });

  it("tells what a release has in at most 200 lines", () => {
    const [, ...parts] = readTree("CHANGELOG.md").trimEnd().split(/^(?=## )/m);
    const long = parts.filter((part) => part.split("\n").length > 200);
    assertNone(long.map((part) => part.split("\n")[0] ?? ""), "releases are told in more lines");
  });

  it("lists each page in docs/README.md", () => {
    const list = readTree("docs/README.md");
    const missing = concepts.filter((page) => !list.includes(`](${page.replace("docs/", "")})`));
    assertNone(missing.filter((page) => page !== "docs/README.md"), "pages are not listed");
  });

  it("has a complete example of its own for each concept of handlers", () => {
    const shown = WITH_EXAMPLE.map((concept) => {
      const [, example] =
        /complete (?:operator|program)[^]*?\.\.\/examples\/([^)/]+)/i.exec(readTree(`docs/${concept}.md`)) ??
          [];
      assert.ok(example !== undefined, `docs/${concept}.md names no example`);
      return example;
    });
    assert.deepEqual(
      shown.filter((example, index) => shown.indexOf(example) !== index),
      [],
      "examples of two pages",
    );
  });
});

describe("The page about troubleshooting", () => {
  it("quotes messages that the code has", () => {
    const code = [...filesBelow("lib/", ".ts"), "bin/lotse.js"].map(readTree).join("\n");
    // Literals may go on in the next line.
    const text = code.replace(/["`] \+\s*["`]/g, "");
    const quoted = quotedMessages(readTree("docs/troubleshooting.md"));
    assert.ok(quoted.length > 20, quoted.join("\n"));
    assertNone(
      quoted.filter((message) => !constantsOf(message).every((each) => text.includes(each))),
      "messages are not in the code",
    );
  });
});

describe("The table of symptoms in docs/architecture.md", () => {
  const [, section = ""] = readTree("docs/architecture.md").split("\n## Symptom, file, test\n");
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => /^\| (?!seen|---)/.test(line));

  it("names files and tests that are there, and quotes log lines of these files", () => {
    assert.ok(rows.length >= 25, `${rows.length} rows`);
    const findings = rows.flatMap((row) => {
      const paths = [...row.matchAll(/`((?:lib|tests)\/[^`]+)`/g)].map(([, path = ""]) => path);
      const missing = paths.filter((path) => !existsSync(new URL(ROOT + path)));
      const files = paths.filter((path) => path.startsWith("lib/"));
      if (missing.length > 0 || files.length === 0 || !paths.some((path) => path.endsWith("_test.ts"))) {
        return [`${row}: ${missing.join(", ") || "no file, or no test"}`];
      }
      const code = files.map(readTree).join("\n").replace(/["`] \+\s*["`]/g, "");
      return [...row.matchAll(/"([^"]+)"/g)].flatMap(([, line = ""]) =>
        code.includes(line) ? [] : `${line} (${files})`
      );
    });
    assertNone(findings, "rows that lead nowhere");
  });
});

describe("The glossary", () => {
  it("has at most twenty words", () => {
    const words = [...readTree("docs/glossary.md").matchAll(/^\| (?!word|---)/gm)];
    assert.ok(words.length > 10 && words.length <= 20, `${words.length}`);
  });
});

describe("The page for users of Kopf", () => {
  const page = readTree("docs/kopf.md");
  /** The first column of tables: what Kopf has. In it, what stands in backticks. */
  const left = [...page.matchAll(/^\| (.*?[^\\]) \|/gm)].map(([, cell = ""]) => cell);
  const words = left.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code = ""]) => code.split(/[^\w-]+/))
  );

  it("says of each public name of Kopf what has become of it", () => {
    assertNone(NAMES.filter((name) => !words.includes(name)), "names are missing");
    assertNone(CAUSES.filter((name) => !words.includes(name)), "causes are missing");
  });

  it("says it of each setting, in a row of its section", () => {
    const missing = Object.entries(SETTINGS).flatMap(([section, fields]) => {
      const own = left.filter((cell) => cell.startsWith(`\`${section}.`)).join(" ");
      return fields.split(" ").filter((field) => !new RegExp(`[\`.]${field}\``).test(own)).map((field) =>
        `${section}.${field}`
      );
    });
    assertNone(missing, "settings are missing");
  });

  it("says it of each option of the command line", () => {
    const has = (option: string): boolean => left.some((cell) => cell.includes(option));
    assertNone(OPTIONS.filter((option) => !has(option)), "options are missing");
  });
});

describe("quotedMessages()", () => {
  it("finds sentences among code, and what is constant in them", () => {
    const page =
      '| `Cannot load "a.ts"`, `kubectl get`, `/readyz` or `LoginError` | `A right is missing: handler "x" cannot …` |';
    const messages = quotedMessages(page);
    assert.deepEqual(messages, ['Cannot load "a.ts"', 'A right is missing: handler "x" cannot …']);
    assert.deepEqual(messages.map(constantsOf), [["Cannot load"], ["A right is missing: handler", "cannot"]]);
  });
});

describe("findDeadLinks()", () => {
  it("reports links to files and headings that are not there", () => {
    const text = [
      "# A *title*, with 2 words",
      "[a](#a-title-with-2-words) [b](#b) [c](kopf.md) [d](kopfe.md) [e](kopf.md#around-it) [f](kopf.md#round-it)",
      "[g](https://example.com/x) `[h](h.md)` [i](../examples) [j](../example)",
      "```ts\nconst [k] = a[0](k);\n```",
    ].join("\n");
    assert.deepEqual(findDeadLinks("docs/x.md", text), [
      "docs/x.md: #b: there is no such heading",
      "docs/x.md: kopfe.md: there is no such file",
      "docs/x.md: kopf.md#round-it: there is no such heading",
      "docs/x.md: ../example: there is no such file",
    ]);
  });
});
