import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PermitEndedError } from "../../lib/client/transport/permit.ts";
import {
  type AttemptLimit,
  currentArguments,
  currentHandler,
  invokeHandler,
  type InvokeOptions,
} from "../../lib/execution/invoke.ts";
import { callWith } from "../support/handler_calls.ts";
import { HandlerTimeoutError } from "../../lib/execution/errors.ts";
import type { Handler } from "../../lib/execution/handler.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

interface Args {
  readonly signal: AbortSignal;
}

function setUp(remaining: number) {
  const { clock } = virtualHost();
  const logs: LogRecord[] = [];
  const controller = new AbortController();
  const options: InvokeOptions<Args> = {
    clock,
    logger: createLogger({ level: "debug", write: (record) => logs.push(record) }, clock),
    signal: controller.signal,
    args: (signal) => ({ signal }),
  };
  const limit: AttemptLimit | undefined = remaining === Infinity ? undefined : {
    remaining,
    overdue: () =>
      new HandlerTimeoutError('Handler "fn" has timed out: it was still running when its 10 s were over'),
  };
  return { clock, logs, controller, limit, options };
}

function handler(fn: (args: Args) => unknown): Handler<Args> {
  return { id: "fn", fn, timeout: 10 };
}

describe("invokeHandler()", () => {
  for (const remaining of [Infinity, 10]) {
    it(`calls no function once the permit has ended, with ${remaining} s left`, async () => {
      const { limit, options } = setUp(remaining);
      let [left, calls] = [0.1, 0];
      const permit = { signal: options.signal, timeLeft: () => left };
      const counting = handler(() => void calls++);
      await invokeHandler(counting, limit, { ...options, permit });
      left = 0;
      await assert.rejects(invokeHandler(counting, limit, { ...options, permit }), PermitEndedError);
      assert.equal(calls, 1);
    });

    it(`gives what the function returns or throws, with ${remaining} s left`, async () => {
      const { limit, options } = setUp(remaining);
      assert.equal(await invokeHandler(handler(() => Promise.resolve(1)), limit, options), 1);
      const error = new RangeError("no");
      const failing = handler(() => {
        throw error;
      });
      await assert.rejects(invokeHandler(failing, limit, options), error);
    });

    it(`makes its arguments known to what it calls, with ${remaining} s left`, async () => {
      const { limit, options } = setUp(remaining);
      const seen = await invokeHandler(
        handler((args) => [args, currentArguments()]),
        limit,
        options,
      ) as unknown[];
      assert.equal(seen[0], seen[1]);
    });

    it(`hands over a signal that aborts with the operator's, with ${remaining} s left`, async () => {
      const { limit, options, controller } = setUp(remaining);
      const run = invokeHandler(
        handler(({ signal }) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
        ),
        limit,
        options,
      );
      controller.abort(new Error("stopping"));
      await assert.rejects(run, { message: "stopping" });
    });
  }

  it("leaves no listener on the operator's signal, however the attempt ends", async () => {
    const { limit, options, clock, controller: { signal } } = setUp(3);
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<AbortSignal["addEventListener"]>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<AbortSignal["removeEventListener"]>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    await invokeHandler(handler(() => {}), limit, options);
    await assert.rejects(invokeHandler(handler(() => Promise.reject(new Error("no"))), limit, options));
    const hanging = assert.rejects(
      invokeHandler(handler(() => new Promise(() => {})), limit, options),
      HandlerTimeoutError,
    );
    await clock.advance(4);
    await hanging;
    assert.equal(listeners, 0);
  });

  it("aborts the signal and fails when the time is over; the late result is dropped with a warning", async () => {
    const { limit, options, clock, logs } = setUp(3);
    const late = Promise.withResolvers<string>();
    let given: AbortSignal | undefined;
    const run = invokeHandler(
      handler(({ signal }) => {
        given = signal;
        return late.promise;
      }),
      limit,
      options,
    );
    const failed = assert.rejects(run, HandlerTimeoutError);
    await clock.advance(2.9);
    assert.equal(given?.aborted, false);
    await clock.advance(0.2);
    await failed;
    assert.ok(given?.reason instanceof HandlerTimeoutError);
    assert.equal(logs.length, 0);
    late.resolve("too late");
    await clock.settle();
    assert.deepEqual(logs.map(({ level, fields }) => [level, fields.handler]), [["warn", "fn"]]);
  });
});

describe("currentArguments() and currentHandler()", () => {
  it("tell what is running until it ends", async () => {
    const args = { name: "a" };
    const fn = async (given: unknown): Promise<unknown[]> => {
      await Promise.resolve();
      return [given, currentArguments(), currentHandler()];
    };
    assert.deepEqual(await callWith(args, { id: "make", fn }), [args, args, "make"]);
    assert.deepEqual([currentArguments(), currentHandler()], [undefined, undefined]);
  });
});
