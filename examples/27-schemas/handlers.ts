/**
 * A kind by schemas alone: the types of the handlers, the checks and defaults of the API server, and the definition of the
 * kind all come from one place.
 */
import { operator, resource } from "@lotse/lotse";
import { z } from "zod";

const BakerySpec = z.object({
  bread: z.enum(["rye", "wheat", "spelt"]).describe("What is baked"),
  loaves: z.int().min(1).max(500).default(20).describe("How many loaves a batch has"),
  opens: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/).default("07:00").describe("When the shop opens"),
  oven: z.discriminatedUnion("fuel", [
    z.object({ fuel: z.literal("electric"), kilowatts: z.int().min(1) }),
    z.object({ fuel: z.literal("wood"), tree: z.string() }),
  ]),
});

const BakeryStatus = z.object({
  baked: z.int().optional(),
  heat: z.string().optional(),
});

export const Bakery = resource({
  group: "example.com",
  version: "v1",
  plural: "bakeries",
  kind: "Bakery",
  shortNames: ["bake"],
  categories: ["all"],
  spec: BakerySpec,
  status: BakeryStatus,
  columns: { Bread: "spec.bread", Baked: "status.baked", Age: "metadata.creationTimestamp" },
  scale: { spec: "spec.loaves", status: "status.baked" },
  selectable: ["spec.bread"],
  rules: [{
    at: "spec",
    rule: "self.bread != 'spelt' || self.loaves <= 100",
    message: "there is flour for 100 loaves of spelt bread",
    fieldPath: ".loaves",
  }, {
    at: "spec.bread",
    rule: "self == oldSelf",
    message: "a bakery keeps to its bread",
  }],
});

const op = operator();

op.on.create(Bakery, function heat({ spec, patch, logger }) {
  // The compiler knows what is there: `oven` is one of two, and `loaves` has its default.
  const heat = spec.oven.fuel === "wood" ? `logs of ${spec.oven.tree}` : `${spec.oven.kilowatts} kW`;
  patch.status.heat = heat;
  logger.info("The oven is hot", { heat });
});

op.on.field(Bakery, "spec.loaves", function bake({ new: loaves, spec, patch, logger }) {
  patch.status.baked = loaves;
  logger.info("Bread is in the oven", { loaves, opens: spec.opens });
});

export default op;
