import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesBelow, readTree } from "./tree.ts";
import { picturesIn } from "./pictures.ts";

/** Pages that tell of a way, a life or a time line. */
const PICTURED = ["docs/architecture.md", "docs/concepts.md", "docs/kopf.md", "docs/webhooks.md"];

describe("The pictures of the documentation", () => {
  it("can be drawn", () => {
    const faults = ["README.md", ...filesBelow("docs/", ".md")].flatMap((page) =>
      picturesIn(readTree(page)).map(({ line, reason }) => `${page}:${line}: ${reason}`)
    );
    assert.deepEqual(faults, []);
  });

  it("stand where people would rather look than read", () => {
    assert.deepEqual(PICTURED.filter((page) => !readTree(page).includes("```mermaid\n")), []);
  });
});

describe("picturesIn()", () => {
  const fault = (...rows: string[]): string[] =>
    picturesIn(["text", "", "```mermaid", ...rows, "```", ""].join("\n")).map(({ line, reason }) =>
      `${line}: ${reason}`
    );

  it("takes the kinds of pictures that are used", () => {
    const good = [
      ["flowchart LR", 'subgraph one ["One"]', 'a["A b"] --> b{"c?"}', "end", 'b -.->|"no"| c[("Store")]'],
      [
        "sequenceDiagram",
        "participant a as Some one",
        "a->>b: says, and more",
        "Note over a,b: both",
        "loop often",
        "b-->>a: so",
        "end",
      ],
      ["stateDiagram-v2", "[*] --> There: made", "There --> [*]", 'state "Is there" as There'],
      ["timeline", "title Time", "section First", "one : two : three"],
    ];
    for (const rows of good) assert.deepEqual(fault(...rows), []);
  });

  it("names the line that cannot be drawn", () => {
    assert.deepEqual(fault("flowchart XY", "a --> b"), ['4: "flowchart XY" is no picture that is used here']);
    assert.deepEqual(fault("flowchart LR", "a -> b"), ["5: not understood: a -> b"]);
    assert.deepEqual(fault("flowchart LR", 'a["x(y"] --> end'), [
      '5: a word of Mermaid\'s own: a["x(y"] --> end',
    ]);
    assert.deepEqual(fault("flowchart LR", 'subgraph a ["A"]', "b --> c"), ['6: an "end" is missing']);
    assert.deepEqual(fault("sequenceDiagram", "a->>b says"), ["5: not understood: a->>b says"]);
    assert.deepEqual(fault("timeline", "title A", "one"), ["6: not understood: one"]);
    assert.deepEqual(fault("stateDiagram-v2"), ["4: nothing is in it"]);
  });
});
