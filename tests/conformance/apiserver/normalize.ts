/**
 * Takes out of answers what differs from run to run: identities, versions, times, tokens, generated names.
 */

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** Not compared: what a server may say about itself, and what no test is about. */
const DROPPED = new Set(["caBundle", "selfLink", "remainingItemCount"]);

/** Returns a function that replaces each identity by the same placeholder wherever it appears. */
export function normalizer(): (value: unknown) => unknown {
  const uids = new Map<string, string>();
  const text = (value: string): string =>
    value
      .replace(UID, (uid) => {
        if (!uids.has(uid)) uids.set(uid, `<uid ${uids.size + 1}>`);
        return uids.get(uid)!;
      })
      .replace(TIME, "<time>")
      .replace(/(resourceVersion=)[1-9]\d*/g, "$1<version>")
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>")
      .replace(/(continue=)[^&]+/g, "$1<token>")
      .replace(/([vV]ersion: |requested: |current: )\d+( \(\d+\))?/g, "$1<version>")
      .replace(/(in the precondition|in record) \(\d+\)/g, "$1 (<version>)");
  const walk = (value: unknown, key: string): unknown => {
    if (Array.isArray(value) && key === "managedFields") return ownersOf(value).map((item) => walk(item, ""));
    if (Array.isArray(value) && key === "clusterIPs") return value.map((item) => walk(item, "clusterIP"));
    if (Array.isArray(value)) return value.map((item) => walk(item, key === "cells" ? "cell" : ""));
    if (typeof value === "number" && /nodePort$/i.test(key)) return "<port>";
    if (typeof value === "string") return word(value, key) ?? text(value);
    if (typeof value !== "object" || value === null) return value;
    if ("details" in value && "message" in value) return walkStatus(value, walk);
    // Reviews are never stored: who owns what in them is of no use to anybody.
    const isReview = "kind" in value && String(value.kind).endsWith("Review");
    const entries = Object.entries(value).filter(([name, child]) =>
      !DROPPED.has(name) && child !== undefined
    );
    const generated = typeof value === "object" && "generateName" in value
      ? String(value.generateName)
      : undefined;
    return Object.fromEntries(
      entries
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map((
          [name, child],
        ) => [text(name), name === "name" && generated ? `${generated}<random>` : walk(child, name)])
        .filter(([name, child]) => name !== "managedFields" || !Array.isArray(child) || child.length > 0)
        .map(([name, child]) =>
          name === "metadata" && isReview ? [name, withoutOwners(child)] : [name, child]
        ),
    );
  };
  return (value) => walk(value, "");
}

/** Owners without those that only a real cluster has, and in an order that does not depend on how fast it is. */
function ownersOf(owners: readonly unknown[]): unknown[] {
  const nameOf = (owner: unknown): string => {
    const { manager = "", operation = "", subresource = "" } = owner as Record<string, unknown>;
    return [manager, operation, subresource].join(" ");
  };
  return owners
    .filter((owner) => !/^kube-(controller-manager|apiserver) Update status$/.test(nameOf(owner)))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function withoutOwners(metadata: unknown): unknown {
  return { ...metadata as object, managedFields: undefined };
}

function word(value: string, key: string): string | undefined {
  if (key === "resourceVersion" && /^[1-9]\d*$/.test(value)) return "<version>";
  if (key === "continue" && value !== "") return "<token>";
  if (key === "cell" && /^\d+s$/.test(value)) return "<age>";
  if (key === "serverAddress" || key === "clusterIP") {
    return value === "None" || value === "" ? value : "<address>";
  }
  return undefined;
}

/** The real server names several causes in random order, and some twice. */
function walkStatus(status: object, walk: (value: unknown, key: string) => unknown): unknown {
  const { details, message, ...rest } = status as {
    details: { causes?: object[] } | undefined;
    message: string;
  };
  const walked = details?.causes?.map((cause) => JSON.stringify(walk(cause, "")));
  // Some causes are named twice, because two parts of the real server look for them.
  const causes = walked && [...new Set(walked)].sort().map((cause): unknown => JSON.parse(cause));
  const several = (causes?.length ?? 0) > 1;
  return {
    ...walk(rest, "") as object,
    message: walk(several ? message.replace(/ is invalid: .*/, " is invalid") : message, "message"),
    details: details === undefined
      ? undefined
      : { ...walk({ ...details, causes: undefined }, "") as object, causes },
  };
}
