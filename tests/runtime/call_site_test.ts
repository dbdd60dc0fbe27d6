import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { awaitedFrom, blamedOn, calledFrom, CallSite, cutAtCaller } from "../../lib/runtime/call_site.ts";

function fail(text: string): never {
  throw new TypeError(text);
}

/** The frames of a stack: without the line that repeats the message, where there is one. */
function framesOf(error: Error): string[] {
  return (error.stack ?? "").split("\n").filter((line) => line.includes("call_site") || line.includes("at "));
}

describe("calledFrom()", () => {
  it("returns what the function returns, for the same arguments", () => {
    const add = calledFrom((a: number, b: number) => a + b);
    assert.equal(add(1, 2), 3);
  });

  it("lets the stack of what is thrown begin at the caller", () => {
    const refuse = calledFrom((text: string) => fail(text));
    function author(): void {
      refuse("no");
    }
    assert.throws(author, (error: Error) => {
      assert.equal(error.message, "no");
      assert.match(framesOf(error)[0] ?? "", /author/);
      assert.doesNotMatch(error.stack ?? "", /\bfail\b/);
      return true;
    });
  });

  it("passes on what is no error", () => {
    const refuse = calledFrom(() => {
      throw "text";
    });
    assert.throws(refuse, (error) => error === "text");
  });
});

describe("awaitedFrom()", () => {
  it("adds the caller's line to what is rejected, however long it took", async () => {
    const refuse = awaitedFrom(async (text: string) => {
      await new Promise((resolve) => setTimeout(resolve, 1)); // a real timer: nobody is on the stack after it
      fail(text);
    });
    function author(): Promise<never> {
      // NB: not awaited here, since engines keep the lines of awaits by themselves; and no tail call, which has no frame on Bun.
      const refused = refuse("no");
      refused.catch(() => {});
      return refused;
    }
    await assert.rejects(author, (error: Error) => {
      assert.match(error.stack ?? "", /fail[^]*author/);
      return error.message === "no";
    });
  });

  it("resolves to what the function resolves to, and passes on what is no error", async () => {
    assert.equal(await awaitedFrom((value: number) => Promise.resolve(value + 1))(1), 2);
    await assert.rejects(awaitedFrom(() => Promise.reject("text")), (error) => error === "text");
  });
});

describe("blamedOn()", () => {
  it("leaves the lines of that place, or none", () => {
    function declare(): CallSite {
      return new CallSite(declare);
    }
    function author(): CallSite {
      const [site] = [declare()]; // NB: JavaScriptCore forgets who calls last.
      return site as CallSite;
    }
    const error = blamedOn(new RangeError("no"), author());
    assert.match(framesOf(error)[0] ?? "", /author/);
    assert.doesNotMatch(error.stack ?? "", /declare/);
    assert.equal(blamedOn(new RangeError("no")).stack, "RangeError: no");
  });

  it("leaves room for the lines that the author's call adds", async () => {
    const refuse = awaitedFrom(async () => {
      await Promise.resolve();
      throw new TypeError("no");
    }, { before: blamedOn });
    async function author(): Promise<void> {
      await refuse();
    }
    await assert.rejects(author(), (error: Error) => {
      assert.match(framesOf(error)[0] ?? "", /author/);
      return true;
    });
  });
});

describe("cutAtCaller()", () => {
  async function caller(fn: () => unknown): Promise<unknown> {
    return await fn();
  }

  it("cuts off who has called the function, also of the causes, and leaves other stacks as they are", async () => {
    function author(): never {
      throw new Error("no", { cause: new TypeError("why") });
    }
    const error = await caller(author).catch((thrown: unknown) => thrown) as Error & { cause: Error };
    const other = new Error("other");
    const { stack } = other;
    cutAtCaller(error, "caller");
    cutAtCaller(other, "caller");
    for (const each of [error, error.cause]) {
      const frames = framesOf(each);
      assert.equal(frames.length, 1);
      assert.match(frames[0] ?? "", /author/);
    }
    assert.equal(other.stack, stack);
  });

  it("takes what is frozen, and what throws when it is looked at", async () => {
    const reject = (error: Error) => caller(() => Promise.reject(error)).catch((thrown: unknown) => thrown);
    const untouchable = new Proxy({}, {
      getPrototypeOf() {
        throw new Error("do not touch");
      },
    });
    for (const error of [Object.freeze(new Error("frozen")), new Error("hostile", { cause: untouchable })]) {
      const thrown = await reject(error);
      assert.ok(thrown instanceof Error);
      // NB: V8 lets the stack of a frozen error be set, JavaScriptCore does not.
      cutAtCaller(thrown, "caller");
      assert.match(framesOf(thrown)[0] ?? "", /call_site_test/);
    }
  });
});
