import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lotse, PATIENCE, project } from "../cli/processes.ts";

const HANDLERS = `
import { operator } from "@lotse/lotse";

const op = operator();
let rejected = 0;

op.on.create("configmaps.v1", { labels: { does: "leave" } }, async function leaves({ name }) {
  void (async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    rejected++;
    throw new Error("left behind by " + name);
  })();
});

op.on.create("configmaps.v1", { labels: { does: "reject" } }, async function rejects({ name }) {
  rejected++;
  void Promise.reject(new Error("rejected at once by " + name));
});

op.on.create("configmaps.v1", { labels: { does: "throw" } }, async function throws({ name }) {
  const timer = setInterval(() => {
    if (rejected < 2) return;
    clearInterval(timer);
    throw new Error("thrown out of a timer by " + name);
  }, 50);
});

op.on.cleanup(() => console.log("cleaned up"));

export default op;
`;

const OBJECTS = ["leave", "reject", "throw"].map((does) => `
apiVersion: v1
kind: ConfigMap
metadata: { name: to-${does}, labels: { does: ${does} } }
`).join("---");

describe("An operator whose handlers leave errors behind", () => {
  it("names handler and object, goes on after rejections, and stops in order after an exception", {
    timeout: PATIENCE,
  }, async () => {
    const folder = project({ "handlers.ts": HANDLERS, "objects.yaml": OBJECTS });
    await using program = lotse(["dev", "handlers.ts", "--apply", "objects.yaml", "--log-format", "json"], {
      cwd: folder,
    });
    assert.equal(await program.ended(), 1, program.output);
    assert.match(program.output, /cleaned up/);
    const of = (text: string): string => {
      const line = program.output.split("\n").find((each) =>
        each.includes(text) && each.includes("nobody has")
      );
      const { handler, handlers, namespace, name } = JSON.parse(line ?? assert.fail(program.output));
      return JSON.stringify(handlers ?? [handler, namespace, name]);
    };
    assert.equal(of("rejected at once by to-reject"), '["rejects","default","to-reject"]');
    assert.equal(of("thrown out of a timer by to-throw"), '["throws","default","to-throw"]');
    const left = of("left behind by to-leave");
    // NB: Bun does not say whose promise it was.
    if ("Bun" in globalThis) assert.match(left, /"leaves of configmaps default\/to-leave"/);
    else assert.equal(left, '["leaves","default","to-leave"]');
  });
});
