import { describe, it } from "node:test";
import { lotse, PATIENCE, project, save, THINGS } from "../cli/processes.ts";

const THING = "apiVersion: example.com/v1\nkind: Thing\nmetadata: { name: one }\nspec: { size: 1 }\n";

describe("lotse dev, and the types of handlers", () => {
  it(
    "says beside the running operator that types do not fit, and that they fit again",
    { timeout: PATIENCE * 2, skip: "Deno" in globalThis ? false : "the checkout has no compiler but Deno's" },
    async () => {
      const code = (field: string) =>
        `import { operator, resource } from "@lotse/lotse";
        const Thing = resource<{ title?: string }>({ group: "example.com", version: "v1", plural: "things" });
        const op = operator();
        op.on.create(Thing, function made({ logger, spec }) { logger.info(String(spec.${field})); });
        export default op;`;
      const folder = project({ "crd.yaml": THINGS, "thing.yaml": THING, "handlers.ts": code("titel") });
      await using dev = lotse(["dev", "handlers.ts", "--apply", "crd.yaml", "thing.yaml"], { cwd: folder });
      await dev.wrote(/\] undefined/);
      await dev.wrote(/Types do not fit: Property 'titel' does not exist .* at=handlers\.ts:4\n/);
      save(folder, "handlers.ts", code("title"));
      await dev.wrote(/Types fit again/);
    },
  );
});
