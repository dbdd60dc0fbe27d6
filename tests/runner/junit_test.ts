/** The XML in this file is what Deno 2.9, Bun 1.4 and Node 24 wrote for the same small test files, shortened. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readResults, type TestResult } from "./junit.ts";

const DENO = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="13" failures="5" errors="0" time="0.025">
    <testsuite name="./a_test.ts" tests="6" disabled="1" errors="0" failures="3">
        <testcase name="outer" classname="./a_test.ts" time="0.015" line="3" col="1">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="skipped suite" classname="./a_test.ts"><skipped/></testcase>
        <testcase name="with subtests" classname="./a_test.ts"></testcase>
        <testcase name="top ok" classname="./a_test.ts"></testcase>
        <testcase name="with subtests &gt; sub ok" classname="./a_test.ts"></testcase>
        <testcase name="never ended"><error message="Cancelled"/></testcase>
    </testsuite>
    <testsuite name="ext:deno_node/testing.ts" tests="7" disabled="3" errors="0" failures="2">
        <testcase name="outer &gt; inner"><failure message="1 test step failed">1 test step failed.</failure></testcase>
        <testcase name="outer &gt; inner &gt; passes" classname="ext:deno_node/testing.ts"></testcase>
        <testcase name="outer &gt; inner &gt; fails &quot;quoted&quot; &lt;x&gt;">
            <failure message="Uncaught AssertionError: 1 !== 2
">AssertionError: 1 !== 2
    at NodeTestContext.&lt;anonymous&gt; (a_test.ts:6:52)</failure>
        </testcase>
        <testcase name="outer &gt; inner &gt; is skipped"><skipped/></testcase>
    </testsuite>
</testsuites>`;

const BUN = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="8" assertions="0" failures="2" skipped="4" time="0.03">
  <testsuite name="tests/a_test.ts" file="tests/a_test.ts" tests="8" hostname="vm">
    <testsuite name="outer" file="tests/a_test.ts" line="3" tests="6" hostname="vm">
      <testsuite name="inner" file="tests/a_test.ts" line="4" tests="6" hostname="vm">
        <testcase name="passes" classname="inner &gt; outer" time="0.001046" line="5" assertions="0" />
        <testcase name="fails &quot;quoted&quot; &lt;x&gt;" classname="inner &gt; outer" line="6">
          <failure type="AssertionError" message="1 !== 2">AssertionError: 1 !== 2&#10;   at a_test.ts:6:52&#10;</failure>
        </testcase>
        <testcase name="todo" classname="inner &gt; outer"><skipped message="TODO" /></testcase>
      </testsuite>
    </testsuite>
    <testcase name="top ok" classname="" time="0.000032" line="18" assertions="0" />
  </testsuite>
</testsuites>`;

const NODE = `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testsuite name="outer" time="0.003961" disabled="0" errors="0" tests="1" hostname="vm">
		<testcase name="passes &lt;x>" time="0.000774" classname="outer.inner" file="/tmp/exp/a_test.ts"/>
		<testcase name="is skipped" classname="outer"><skipped type="skipped" message="no control plane: build it"/></testcase>
		<testcase name="fails" classname="outer" failure="1 !== 2">
			<failure type="testCodeFailure" message="1 !== 2">
Error [ERR_TEST_FAILURE]: 1 !== 2
			</failure>
		</testcase>
	</testsuite>
	<!-- tests 10 -->
</testsuites>`;

describe("readResults()", () => {
  it("counts on Deno what has no parts, and neither suites nor tests with subtests", () => {
    assert.deepEqual(brief(readResults("deno", DENO, "tests/a_test.ts")), [
      "skipped skipped suite",
      "passed top ok",
      "passed with subtests > sub ok",
      "failed never ended",
      "passed outer > inner > passes",
      'failed outer > inner > fails "quoted" <x>',
      "skipped outer > inner > is skipped",
    ]);
  });

  it("counts on Deno a suite that failed although none of its tests did", () => {
    const xml =
      `<testsuites><testsuite name="a"><testcase name="s"><failure message="m">hook threw</failure></testcase>
      <testcase name="s &gt; t"></testcase></testsuite></testsuites>`;
    assert.deepEqual(brief(readResults("deno", xml, "a")), ["failed s", "passed s > t"]);
  });

  it("counts on Bun the test cases, with the names of the suites around them", () => {
    assert.deepEqual(brief(readResults("bun", BUN, "tests/a_test.ts")), [
      "passed outer > inner > passes",
      'failed outer > inner > fails "quoted" <x>',
      "skipped outer > inner > todo",
      "passed top ok",
    ]);
  });

  it("counts on Node the test cases, and passes on the reasons of skips", () => {
    const results = readResults("node", NODE, "tests/a_test.ts");
    assert.deepEqual(brief(results), [
      "passed outer > passes <x>",
      "skipped outer > is skipped",
      "failed outer > fails",
    ]);
    assert.equal(results[1]?.message, "no control plane: build it");
  });

  it("gives the failure's text, decoded", () => {
    const [failed] = readResults("deno", DENO, "a").filter(({ name }) => name.includes("quoted"));
    assert.equal(
      failed?.message,
      "AssertionError: 1 !== 2\n    at NodeTestContext.<anonymous> (a_test.ts:6:52)",
    );
  });

  it("does not count the file that Node reports in place of tests", () => {
    const xml = '<testsuites><testcase name="a_test.ts" classname="test" file="/x/a_test.ts"/></testsuites>';
    assert.deepEqual(readResults("node", xml, "tests/a_test.ts"), []);
  });

  it("gives nothing for an empty or broken report", () => {
    assert.deepEqual(readResults("bun", "", "a"), []);
    assert.deepEqual(readResults("bun", "<testsuites><testsu", "a"), []);
  });
});

function brief(results: readonly TestResult[]): string[] {
  return results.map(({ outcome, name }) => `${outcome} ${name}`);
}
