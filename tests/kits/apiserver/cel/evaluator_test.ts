import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Engine } from "../../../../lib/kits/apiserver/cel/engine.ts";
import { TOO_LONG } from "../../../../lib/kits/apiserver/cel/evaluator.ts";

const engine = new Engine();

function evaluate(source: string, length: number): unknown {
  const environment = engine.environment().variable("numbers", "list<int>");
  const { program, error } = engine.compile(environment, source, []);
  if (program === undefined) throw new SyntaxError(error);
  return program.evaluate({ numbers: Array.from({ length }, (_, index) => BigInt(index)) });
}

describe("the costs of an evaluation", () => {
  it("ends loops in loops", () => {
    const source = "numbers.all(a, numbers.all(b, a + b >= 0))";
    assert.equal(evaluate(source, 100), true);
    assert.throws(() => evaluate(source, 1000), { message: TOO_LONG });
    assert.equal(evaluate(source, 100), true);
  });

  it("begins no more rounds once there were too many, although loops go on after errors", () => {
    const ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
    const deep = ["a", "b", "c", "d", "e", "f", "g"].reduceRight(
      (body, name) => `${ten}.all(${name}, ${body})`,
      "int('1'.find('[0-9]*')) < 100",
    );
    // NB: each round of ten million would take minutes in all.
    assert.throws(() => evaluate(deep, 0), { message: TOO_LONG });
  });

  it("counts rounds that were made, and not those that might have been", () => {
    assert.equal(evaluate("numbers.exists(a, numbers.exists(b, b == a))", 400), true);
  });

  it("changes nothing about what loops give", () => {
    const loops = [
      "numbers.map(a, a > 0, [a, 1].map(b, b * 2)) == [[2, 2], [4, 2]]",
      "numbers.filter(a, a != 1) == [0, 2]",
      "numbers.exists_one(a, a == 1)",
      "{'a': 1}.all(k, k == 'a')",
      "numbers.map(a, {'x': a})[1].x == 1",
    ];
    for (const source of loops) assert.equal(evaluate(source, 3), true, source);
  });
});
