import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lotse, PATIENCE, project, save, THINGS } from "./processes.ts";

function thing(size: number): string {
  return `apiVersion: example.com/v1\nkind: Thing\nmetadata: { name: one }\nspec: { size: ${size} }\n`;
}

/** Handlers that say which edition of the file they come from. */
function handlers(
  edition: string,
  { head = "const op = operator();", tail = "export default op;" } = {},
) {
  return `import { operator } from "@lotse/lotse";\nimport { word } from "./word.ts";\n${head}\n` +
    `op.on.create("things", function made({ logger }) { logger.info("Made", { edition: "${edition}", word }); });\n` +
    `op.on.update("things", function changed({ logger, spec }) {\n` +
    `  logger.info("Changed", { edition: "${edition}", word, size: spec.size });\n});\n${tail}\n`;
}

describe("lotse dev", () => {
  const files = { "crd.yaml": THINGS, "thing.yaml": thing(1), "word.ts": 'export const word = "first";\n' };

  it(
    "applies manifests, runs handlers, and takes both up again when they are saved",
    { timeout: PATIENCE },
    async () => {
      const folder = project({ ...files, "handlers.ts": handlers("one") });
      await using dev = lotse(["dev", "handlers.ts", "--apply", "thing.yaml", "crd.yaml"], { cwd: folder });
      await dev.wrote(/export KUBECONFIG=\S+\/kubeconfig; kubectl/);
      await dev.wrote(/\[default\/one\] Made edition=one word=first/);

      save(folder, "handlers.ts", handlers("two"));
      await dev.wrote(/Reloaded/);
      save(folder, "thing.yaml", thing(2));
      await dev.wrote(/\[default\/one\] Changed edition=two word=first size=2/);
      assert.equal(await dev.stop(), 0);
      assert.equal(dev.output.match(/\] Made/g)?.length, 1);
    },
  );

  it("removes what was taken out of a saved manifest", { timeout: PATIENCE }, async () => {
    const watcher = `import { kinds, operator } from "@lotse/lotse";
      const op = operator();
      op.on.event(kinds.ConfigMap, { labels: { a: "1" } }, function seen({ body, logger }) {
        logger.info("Seen", { data: JSON.stringify(body.data), labels: JSON.stringify(body.metadata.labels) });
      });
      export default op;`;
    const map = (labels: string, data: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, labels: ${labels} }\ndata: ${data}\n`;
    const folder = project({
      "handlers.ts": watcher,
      "a.yaml": map('{ a: "1", b: "2" }', '{ x: "1", y: "2" }'),
    });
    await using dev = lotse(["dev", "handlers.ts", "--apply", "a.yaml"], { cwd: folder });
    await dev.wrote(/Seen data="\{\\"x\\":\\"1\\",\\"y\\":\\"2\\"\}"/);
    save(folder, "a.yaml", map('{ a: "1" }', '{ x: "1" }'));
    await dev.wrote(/Seen data="\{\\"x\\":\\"1\\"\}" labels="\{\\"a\\":\\"1\\"\}"/);
  });

  it("takes up what handlers import, too", { timeout: PATIENCE }, async () => {
    const folder = project({ ...files, "handlers.ts": handlers("one") });
    await using dev = lotse(["dev", "handlers.ts", "--apply", "."], { cwd: folder });
    await dev.wrote(/Made edition=one word=first/);
    save(folder, "word.ts", 'export const word = "second";\n');
    await dev.wrote(/Reloaded/);
    save(folder, "thing.yaml", thing(3));
    await dev.wrote(/Changed edition=one word=second size=3/);
  });

  it("keeps the handlers from before where a saved file is broken", { timeout: PATIENCE }, async () => {
    const folder = project({ ...files, "handlers.ts": handlers("one") });
    await using dev = lotse(["dev", "handlers.ts", "--apply", "."], { cwd: folder });
    await dev.wrote(/Made edition=one/);
    save(folder, "handlers.ts", "const x = = 1;\n");
    await dev.wrote(
      /Cannot load "handlers\.ts": [^]*handlers\.ts:1\n {2}1 \| const x = = 1;[^]*keep running/,
    );
    save(folder, "thing.yaml", thing(4));
    await dev.wrote(/Changed edition=one word=first size=4/);
    save(folder, "handlers.ts", handlers("three"));
    await dev.wrote(/Reloaded/);
    save(folder, "thing.yaml", thing(5));
    await dev.wrote(/Changed edition=three word=first size=5/);
  });

  it(
    "takes up handlers anew, also after a broken file",
    { timeout: PATIENCE },
    async () => {
      const folder = project({ ...files, "handlers.ts": handlers("one") });
      await using dev = lotse(["dev", "handlers.ts", "--apply", "."], { cwd: folder });
      await dev.wrote(/Made edition=one/);
      save(folder, "handlers.ts", handlers("two", { tail: 'throw new Error("half done");' }));
      await dev.wrote(/half done/);
      save(folder, "thing.yaml", thing(6));
      await dev.wrote(/Changed edition=one word=first size=6/);
      save(folder, "handlers.ts", handlers("three"));
      await dev.wrote(/Reloaded/);
      save(folder, "thing.yaml", thing(7));
      await dev.wrote(/Changed edition=three word=first size=7/);
    },
  );

  it("has its server ask admission handlers, wherever they are reached", { timeout: PATIENCE }, async () => {
    const code = `import { operator } from "@lotse/lotse";
      const op = operator();
      op.on.validate("things", function check({ spec }) { if (spec.size > 9) throw new Error("Too large"); });
      op.on.create("things", function made({ logger }) { logger.info("Made"); });
      export default op;`;
    const folder = project({ ...files, "handlers.ts": code });
    await using dev = lotse(["dev", "handlers.ts", "--apply", "."], { cwd: folder });
    await dev.wrote(/\] Made/);
    save(folder, "thing.yaml", thing(10));
    await dev.wrote(
      /Cannot apply Thing "one": admission webhook "check\.dev-0\.lotse\.dev" denied the request: Too large/,
    );
    save(folder, "thing.yaml", thing(9));
    await dev.wrote(/object=things\/one result=configured/);
  });

  it("has its server ask by the Service that the code names", { timeout: PATIENCE }, async () => {
    const code = (size: number) =>
      `import { operator, webhookServer } from "@lotse/lotse";
      const op = operator({ admission: { server: webhookServer({ port: 9443, service: { name: "things-webhook" },
        certfile: "/certs/tls.crt", pkeyfile: "/certs/tls.key" }), managed: "things.example.com" } });
      op.on.validate("things", function checkSize({ spec }) { if (spec.size > ${size}) throw new Error("Too large"); });
      op.on.create("things", function made({ logger }) { logger.info("Made"); });
      export default op;`;
    const folder = project({ ...files, "handlers.ts": code(9) });
    await using dev = lotse(["dev", "handlers.ts", "--apply", "."], { cwd: folder });
    await dev.wrote(/\] Made/);
    save(folder, "thing.yaml", thing(10));
    await dev.wrote(
      /admission webhook "check-size\.things\.example\.com" denied the request: Too large/,
    );
    save(folder, "handlers.ts", code(10));
    await dev.wrote(/Reloaded: the operator starts anew/);
    save(folder, "thing.yaml", thing(11));
    await dev.wrote(/denied the request: Too large/);
    save(folder, "thing.yaml", thing(10));
    await dev.wrote(/object=things\/one result=configured/);
  });

  it(
    "has its server ask who converts objects, wherever they are reached",
    { timeout: PATIENCE },
    async () => {
      const code = (word: string) =>
        `import { operator, resource } from "@lotse/lotse";
      import { z } from "zod";
      const op = operator();
      const Thing = resource({ group: "example.com", version: "v2", plural: "things", kind: "Thing",
        spec: z.object({ count: z.number(), word: z.string() }), versions: { v1: { spec: z.object({ size: z.number() }), convert: {
          toHub: ({ spec }) => ({ spec: { count: spec.size, word: "${word}" } }),
          fromHub: ({ spec }) => ({ spec: { size: spec.count } }) } } } });
      op.on.create(Thing, function made({ logger, spec }) { logger.info("Made", spec); });
      op.on.update(Thing, function changed({ logger, spec }) { logger.info("Changed", spec); });
      export default op;`;
      const folder = project({ "thing.yaml": thing(1), "handlers.ts": code("first") });
      await using generate = lotse(["generate", "crd", "handlers.ts", "--name", "x"], { cwd: folder });
      assert.equal(await generate.ended(), 0, generate.output);
      assert.match(
        generate.stdout,
        /service:\n +port: 443\n +namespace: x\n +name: x-webhook\n +path: \/convert\n/,
      );
      save(folder, "crd.yaml", generate.stdout);
      await using dev = lotse(["dev", "handlers.ts", "--apply", "."], { cwd: folder });
      await dev.wrote(/\] Made count=1 word=first/);
      save(folder, "handlers.ts", code("second"));
      await dev.wrote(/Reloaded/);
      save(folder, "thing.yaml", thing(2));
      await dev.wrote(/\] Changed count=2 word=second/);
    },
  );

  it("reports a manifest that the server refuses, and ends with code 1", { timeout: PATIENCE }, async () => {
    const folder = project({
      ...files,
      "handlers.ts": handlers("one"),
      "thing.yaml": "apiVersion: no/v1\nkind: No\nmetadata: { name: x }",
    });
    await using dev = lotse(["dev", "handlers.ts", "--apply", "thing.yaml"], { cwd: folder });
    assert.equal(await dev.ended(), 1);
    assert.match(dev.stderr, /error: Cannot apply "x": the server has no kind "No" in "no\/v1"/);
  });
});
