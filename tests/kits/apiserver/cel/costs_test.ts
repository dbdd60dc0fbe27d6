import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { costOf } from "../../../../lib/kits/apiserver/cel/costs.ts";
import { Engine } from "../../../../lib/kits/apiserver/cel/engine.ts";
import { declareType } from "../../../../lib/kits/apiserver/cel/schema_types.ts";
import { sizedBy } from "../../../../lib/kits/apiserver/cel/sizes.ts";

const engine = new Engine();
const SCHEMA = {
  type: "object",
  properties: {
    count: { type: "integer" },
    name: { type: "string", maxLength: 10 },
    any: { type: "string" },
    few: { type: "array", maxItems: 725, items: { type: "integer" } },
    many: { type: "array", items: { type: "string" } },
    byName: { type: "object", maxProperties: 8, additionalProperties: { type: "string", maxLength: 5 } },
  },
};

function cost(source: string): number {
  const environment = engine.environment();
  const type = declareType(SCHEMA, { environment, isResource: false });
  environment.variable("self", type?.type ?? "dyn");
  const { program, error } = engine.compile(environment, source, []);
  if (program === undefined) throw new SyntaxError(error);
  return costOf(program.tree, sizedBy(SCHEMA));
}

describe("costOf()", () => {
  // Estimates of the real server, of the same expressions and schema (cel.Compile() of apiextensions-apiserver 0.36.3).
  const known: readonly (readonly [string, number])[] = [
    ["self.count > 1", 3],
    ["has(self.count) && self.count == 1", 3],
    ["self.name.startsWith('ab')", 3],
    ["self.name == 'abc'", 3],
    ["self.few.all(x, self.few.all(y, y == x))", 2_632_478],
    ["self.few.exists(x, x > 1)", 4_353],
    ["self.few.sum() == 3", 728],
    ["'a' in self.byName", 3],
    ["self.any.matches('^a')", 314_575],
    ["self.many.all(a, self.many.all(b, a == b))", 3.45881509131242703e17],
    ["self.many.map(a, a.size()).sum() > 0", 15_728_639],
    ["self.few.filter(x, x > 1).size() == 1", 10_890],
    ["self.few.exists_one(x, x > 1)", 2_904],
    ["self.byName.all(k, self.byName[k] == k)", 67],
    ["self.name + 'x' == 'ab' ? true : self.any.contains('abc')", 314_583],
    ["!(self.name in ['a','b'])", 15],
    ["self.many.exists(m, m == 'x')", 6_291_453],
    ["self.any.split(',').all(p, p.size() < 3)", 19_503_505],
    ["quantity(self.any).isLessThan(quantity('1'))", 314_577],
    ["self.few.map(x, x > 1, x).size() > 0", 10_890],
  ];
  for (const [source, expected] of known) {
    it(`is ${expected} for ${source}`, () => assert.equal(cost(source), expected));
  }
});
