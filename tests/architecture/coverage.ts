/** Which test belongs to a file in lib, and which files are tested from elsewhere. */

/** Files (or whole folders, with a slash) without a test of their own, and where their tests are. */
const ELSEWHERE: readonly (readonly [place: string, tests: string, why: string])[] = [
  ["lib/runtime/node", "tests/conformance/host/", "one suite tests each host as a whole"],
  ["lib/runtime/deno.ts", "tests/conformance/host/", "one suite tests each host as a whole"],
  ["lib/runtime/bun.ts", "tests/conformance/host/", "one suite tests each host as a whole"],
  ["lib/runtime/current.ts", "tests/conformance/host/", "one suite tests each host as a whole"],
];

/** The path of the test that mirrors a file in lib. */
export function testFor(source: string): string {
  return source.replace(/^lib\//, "tests/").replace(/\.ts$/, "_test.ts");
}

/** Where the file's tests are, if they are elsewhere. */
export function coveredElsewhere(source: string): string | undefined {
  return ELSEWHERE.find(([place]) => source.startsWith(place))?.[1];
}
