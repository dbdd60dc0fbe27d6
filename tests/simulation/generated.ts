/**
 * Operators with handlers of random manners, drawn from a seed. They are well-behaved by construction: each handler writes a function
 * of the object into a field of its own, or applies an object of its own, so each finding is a fault of Lotse.
 */

import type { Random } from "../../lib/runtime/host.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";
import { kinds, type Operator, operator, TemporaryError } from "../../mod.ts";
import { Example, Plain } from "../support/worlds.ts";

/** The arguments that all of these handlers take. */
interface Arguments {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly retry: number;
  readonly clock: { sleep(seconds: number, signal?: AbortSignal): Promise<unknown> };
  readonly signal: AbortSignal;
}

/** How a handler works: for how long, when it fails at first, and after which time it is tried again. */
interface Work {
  readonly seconds: number;
  readonly failing: number;
  readonly delay: number;
}

type Kind = typeof Example;
type Declare = (op: Operator) => void;

const HERE = { namespace: "default" } as const;

/** Returns a function that makes the operator of a seed, and the manners of its handlers. */
export function generated(
  seed: number,
): { readonly make: () => Operator; readonly manners: readonly string[] } {
  const random = createVirtualRandom(seed);
  const manners: string[] = [];
  const declarations: Declare[] = [];
  const defaultBackoff = 1 + Math.floor(random.next() * 10);
  for (const kind of [Example, Plain]) {
    for (const [manner, draw] of Object.entries(MANNERS)) {
      if (random.next() >= 0.35) continue;
      manners.push(manner);
      declarations.push(draw(kind, random));
    }
  }
  const make = (): Operator => {
    const op = operator({ execution: { defaultBackoff } });
    for (const declare of declarations) declare(op);
    return op;
  };
  return { make, manners };
}

/** Each manner, with random options. */
const MANNERS: Readonly<Record<string, (kind: Kind, random: Random) => Declare>> = {
  changes(kind, random) {
    const [made, changed] = [workOf(random), workOf(random)];
    return (op) => {
      op.on.create(kind, { id: "make" }, async (args) => {
        await work(args, made);
        args.patch.status["changes"] = args.spec["n"];
      });
      op.on.update(kind, { id: "change" }, async (args) => {
        await work(args, changed);
        args.patch.status["changes"] = args.spec["n"];
      });
    };
  },
  field(kind, random) {
    const own = workOf(random);
    return (op) =>
      op.on.field(kind, "spec.n", { id: "field" }, async (args) => {
        await work(args, own);
        args.patch.status["field"] = args.new;
      });
  },
  resume(kind, random) {
    const own = workOf(random);
    return (op) => op.on.resume(kind, { id: "resume" }, (args) => work(args, own));
  },
  deletion(kind, random) {
    const [own, optional] = [workOf(random), random.next() < 0.3];
    return (op) => op.on.delete(kind, { id: "clean", optional }, (args) => work(args, own));
  },
  event(kind) {
    return (op) => op.on.event(kind, { id: "see" }, () => {});
  },
  daemon(kind, random) {
    const labels = random.next() < 0.5 ? { app: "x" } : undefined;
    return (op) =>
      op.daemon(kind, { id: "watch", labels }, async ({ stopped }) => {
        while (!stopped.aborted) await stopped.wait(3600);
      });
  },
  timer(kind, random) {
    const [interval, isSharp] = [5 + Math.floor(random.next() * 25), random.next() < 0.5];
    return (op) =>
      op.timer(kind, { id: "tick", interval, sharp: isSharp }, ({ patch, spec }) => {
        patch.status["ticked"] = spec["n"];
      });
  },
  index(kind) {
    return (op) =>
      op.index(
        kind,
        { id: `by_${kind === Example ? "e" : "p"}` },
        ({ name, spec }) => ({ [String(spec["n"])]: name }),
      );
  },
  reconcile(kind, random) {
    const own = workOf(random);
    const hasFinalize = random.next() < 0.3;
    const requeueAfter = random.next() < 0.2 ? 3600 : undefined;
    const finalize = hasFinalize ? (args: Arguments): Promise<void> => work(args, own) : undefined;
    return (op) => {
      op.owns(kind, kinds.ConfigMap);
      op.reconcile(kind, { id: "keep", finalize }, async (args) => {
        await work(args, own);
        const { name, spec, body, patch } = args;
        const metadata = { name: `${name}-${kind === Example ? "e" : "p"}`, ...HERE };
        await op.api.apply(kinds.ConfigMap, { metadata, data: { n: String(spec["n"]) } }, { owner: body });
        patch.status["kept"] = spec["n"];
        return requeueAfter === undefined ? undefined : { requeueAfter };
      });
    };
  },
};

function workOf(random: Random): Work {
  const seconds = random.next() < 0.4 ? 0 : Math.round(random.next() * 30) / 10;
  return { seconds, failing: Math.floor(random.next() * 5), delay: 1 + Math.floor(random.next() * 25) };
}

/** Fails at first for some numbers, and takes its time. */
async function work(
  { spec, retry, clock, signal }: Arguments,
  { seconds, failing, delay }: Work,
): Promise<void> {
  if (retry === 0 && failing > 0 && Number(spec["n"]) % 5 === failing) {
    throw new TemporaryError("Not yet", { delay });
  }
  if (seconds > 0) await clock.sleep(seconds, signal);
}
