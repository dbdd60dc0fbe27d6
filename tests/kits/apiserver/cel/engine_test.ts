import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Engine } from "../../../../lib/kits/apiserver/cel/engine.ts";
import { STRING } from "../../../../lib/kits/apiserver/cel/type.ts";

const engine = new Engine();
const environment = engine.environment().variable("text", "string").variable(
  "numbers",
  "list<int>",
)
  .variable("any", "dyn");

function run(source: string): unknown {
  const { program, error } = engine.compile(environment, source, []);
  if (program === undefined) throw new Error(error);
  return program.evaluate({
    text: "abc",
    numbers: [2n, 1n, 2n],
    any: new Map([["a", new Map([["b", "c"]])]]),
  });
}

/** What each of Kubernetes' functions gives. Sources: "Common Expression Language in Kubernetes". */
const TRUE = [
  "text.matches('^[a-c]+$') && !text.matches('x')",
  "matches('b', '[[:alpha:]]')",
  "'ab12cd'.find('[0-9]+') == '12' && 'abc'.find('x') == ''",
  "'a1b2'.findAll('[0-9]') == ['1', '2'] && 'a1b2'.findAll('[0-9]', 1) == ['1']",
  "'abc'.charAt(1) == 'b' && 'abc'.charAt(3) == ''",
  "'aXbX'.replace('X', '-') == 'a-b-' && 'aXbX'.replace('X', '-', 1) == 'a-bX'",
  "'%s has %d of %.1f, %x'.format(['a', 3, 2.25, 255]) == 'a has 3 of 2.3, ff'",
  "strings.quote('a\"b') == '\"a\\\\\"b\"'",
  "[1, 2, 2].isSorted() && !['b', 'a'].isSorted()",
  "numbers.sum() == 5 && [0.5, 1.0].sum() == 1.5 && numbers.min() == 1 && numbers.max() == 2",
  "numbers.indexOf(2) == 0 && numbers.lastIndexOf(2) == 2 && numbers.indexOf(7) == -1",
  "sets.contains([1, 2], [2]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [2])",
  "isURL('https://a.b/c') && !isURL('a b') && isURL('/path')",
  "url('https://a.b:80/c%20d?e=f&e=g').getScheme() == 'https'",
  "url('https://a.b:80/').getHost() == 'a.b:80' && url('https://a.b:80/').getPort() == '80'",
  "url('https://[::1]:80/').getHostname() == '::1'",
  "url('https://a.b/c%20d').getEscapedPath() == '/c%20d'",
  "url('https://a.b/?e=f&e=g').getQuery() == {'e': ['f', 'g']}",
  "isIP('10.0.0.1') && isIP('::1') && !isIP('10.0.0.01') && !isIP('1::2::3')",
  "ip('10.0.0.1').family() == 4 && ip('::1').family() == 6 && ip('::1').isLoopback()",
  "ip('0.0.0.0').isUnspecified() && ip('8.8.8.8').isGlobalUnicast() && ip('169.254.1.1').isLinkLocalUnicast()",
  "ip('ff02::1').isLinkLocalMulticast() && string(ip('1:0:0:0:0:0:0:1')) == '1::1'",
  "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
  "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
  "cidr('::1/128').prefixLength() == 128 && cidr('10.0.0.1/8').ip() == ip('10.0.0.1') && !isCIDR('10.0.0.1')",
  "quantity('1Gi').compareTo(quantity('1024Mi')) == 0 && quantity('1.5k') == quantity('1500')",
  "quantity('100m').isLessThan(quantity('1')) && quantity('2').isGreaterThan(quantity('1e0'))",
  "quantity('1').add(quantity('500m')).sub(1) == quantity('0.5') && sign(quantity('-1')) == -1",
  "quantity('50k').isInteger() && quantity('50k').asInteger() == 50000 && !isQuantity('10 MB')",
  "quantity('500m').asApproximateFloat() == 0.5",
  "any.?a.?b.orValue('x') == 'c' && any.?a.?z.orValue('x') == 'x'",
  "any.?a.optMap(v, v.b).orValue('') == 'c' && any.?z.optMap(v, v.b).orValue('') == ''",
  "any.?a.optFlatMap(v, v.?b).orValue('') == 'c'",
  "any.?a.?b == optional.of('c') && any.?a.?b != optional.of('d') && any.?z != optional.of('c')",
  "any.?z == optional.none() && optional.of([1, 2]) == optional.of([1, 2]) && any.?a != optional.none()",
  "!has(dyn(null).b) && !has(dyn('text').b) && !dyn(null).?b.hasValue()",
  "duration('1h') > duration('59m') && timestamp('2020-01-01T00:00:00Z') < timestamp('2021-01-01T00:00:00Z')",
];

describe("Engine", () => {
  for (const source of TRUE) it(`holds ${source}`, () => assert.equal(run(source), true));

  for (
    const [source, error] of [
      [
        "text.nothing()",
        /compilation failed: ERROR: <input>:1:13: undeclared reference to 'nothing' \(in container ''\)/,
      ],
      ["unknown", /undeclared reference to 'unknown' \(in container ''\)\n \| unknown\n \| \^$/],
      ["text + 1", /<input>:1:6: found no matching overload for '_\+_' applied to '\(string, int\)'/],
      ["numbers[0].x", /<input>:1:11: type 'int' does not support field selection/],
      ["authorizer.path('/')", /undeclared reference to 'authorizer'/],
      ["text ==", /compilation failed/],
      ["has(text)", /invalid argument/],
      ["!text", /found no matching overload for '!_' applied to '\(string\)'/],
      ["numbers == text", /found no matching overload for '_==_' applied to '\(list\(int\), string\)'/],
    ] as const
  ) {
    it(`does not compile ${source}`, () => assert.throws(() => run(source), error));
  }

  for (
    const [source, error] of [
      ["any.b", /^Error: no such key: b$/],
      // As cel-go has it: only lists have another word for it.
      ["dyn(null).b", /^Error: no such key: b$/],
      ["dyn('text').b.c", /^Error: no such key: b$/],
      ["dyn(null)['b']", /^Error: no such key: b$/],
      ["dyn([1]).b", /^Error: unsupported index type 'string' in list$/],
      ["dyn([1])['b']", /^Error: unsupported index type 'string' in list$/],
      ["numbers[3]", /^Error: index out of bounds: 3$/],
      ["1 / (numbers[0] - 2)", /^Error: division by zero$/],
      ["quantity('1').isLessThan(dyn(null))", /^Error: no such overload$/],
      ["dyn(null).hasValue()", /^Error: no such overload$/],
      ["any.a + 1", /^Error: no such overload$/],
      ["text.matches('(?=' + text)", /invalid or unsupported Perl syntax/],
    ] as const
  ) {
    it(`fails to evaluate ${source}`, () => assert.throws(() => run(source), error));
  }

  it("compiles long chains of calls in time that grows with their length", () => {
    // If an argument were planned twice, this would take years.
    assert.equal(run(`any.a.b${" + text".repeat(60)}`), `c${"abc".repeat(60)}`);
    assert.equal(run(`${"!".repeat(60)}dyn(true)`), true);
  });

  it("looks at the field that has() is asked about", () => {
    const typed = engine.environment();
    typed.variable("thing", typed.object("thing", new Map([["name", STRING]])));
    assert.equal(engine.compile(typed, "has(thing.name)", ["bool"]).error, undefined);
    assert.match(
      String(engine.compile(typed, "true || has(thing.nam)", ["bool"]).error),
      /<input>:1:12: undefined field 'nam'/,
    );
  });

  it("tells the type of what an expression gives", () => {
    assert.equal(engine.compile(environment, "1 + 1", ["bool"]).error, "must evaluate to bool but got int");
    assert.equal(engine.compile(environment, "true", ["bool"]).error, undefined);
  });
});
