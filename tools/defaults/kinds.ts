/**
 * From a real server's discovery, tables and refusals to the table of a kind: its names, the ways in which it is written, its columns,
 * and the fields that cannot be changed.
 */

import process from "node:process";
import type { Column, SealedField, ServedKind } from "../../lib/kits/apiserver/types/served.ts";
import { type Field, fieldsOf, type Shape, typeOfKind } from "../../lib/kits/apiserver/types/mod.ts";
import type { JsonObject } from "../../lib/model/object.ts";
import type { Target } from "../../tests/conformance/apiserver/target.ts";
import { valuesFor } from "./record.ts";
import { SAMPLES } from "./samples.ts";

const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const AT_ONCE = 8;
/** Refusals of a change; others are of the value. */
const SEALED = /immutable|may not be changed|may not change|updates to |may not be updated|cannot be changed/;

/** A kind, its columns, and the place of both. */
export interface RecordedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly served: ServedKind;
  readonly columns: readonly Column[];
}

/** Returns the kinds of all stable versions, in the order of discovery. */
export async function recordKinds(target: Target): Promise<RecordedKind[]> {
  const get = async (path: string, headers?: Record<string, string>): Promise<JsonObject> =>
    await (await target.send({ method: "GET", path, headers })).json();
  const groups = objectsOf((await get("/apis")).groups).flatMap(({ versions }) => objectsOf(versions));
  const stable = groups.map(({ groupVersion }) => String(groupVersion)).filter((one) => /\/v\d+$/.test(one));
  const recorded: RecordedKind[] = [];
  for (const apiVersion of ["v1", ...stable]) {
    const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
    const resources = objectsOf((await get(root)).resources);
    const kinds = resources.filter(({ name, verbs, kind }) =>
      !String(name).includes("/") && Array.isArray(verbs) && verbs.includes("list") &&
      kind !== "ComponentStatus"
    );
    for (const resource of kinds.sort((a, b) => String(a.kind) < String(b.kind) ? -1 : 1)) {
      const subresources = resources.map(({ name }) => String(name))
        .filter((name) => name.startsWith(`${resource.name}/`)).map((name) => name.split("/")[1] ?? "");
      const scope = resource.namespaced === true ? "/namespaces/default" : "";
      const place = { apiVersion, kind: String(resource.kind), path: `${root}${scope}/${resource.name}` };
      const listed = await target.send({
        method: "GET",
        path: `${root}/${resource.name}?limit=1`,
        headers: TABLE,
      });
      const deprecation = /^299 - "(.*)"$/.exec(listed.headers.get("warning") ?? "")?.[1];
      const { columnDefinitions } = await listed.json();
      recorded.push({
        apiVersion,
        kind: place.kind,
        columns: objectsOf(columnDefinitions) as unknown as Column[],
        served: {
          ...namesOf(resource),
          ...(subresources.length > 0 ? { subresources } : {}),
          hash: String(resource.storageVersionHash),
          ...(deprecation === undefined ? {} : { deprecation }),
          ...await waysOf(target, place),
        },
      });
    }
  }
  return recorded;
}

function namesOf({ name, singularName, shortNames, categories, namespaced, verbs }: JsonObject): Pick<
  ServedKind,
  "plural" | "singular" | "short" | "categories" | "cluster" | "verbs"
> {
  return {
    plural: String(name),
    singular: String(singularName),
    ...(Array.isArray(shortNames) ? { short: shortNames.map(String) } : {}),
    ...(Array.isArray(categories) ? { categories: categories.map(String) } : {}),
    ...(namespaced === true ? {} : { cluster: true }),
    verbs: (verbs as unknown[]).map(String),
  };
}

interface KindPlace {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of its collection. */
  readonly path: string;
}

/** Writes an object of the kind in several ways. */
async function waysOf(
  target: Target,
  place: KindPlace,
): Promise<Omit<ServedKind, "plural" | "singular" | "hash" | "verbs">> {
  const { apiVersion, kind, path } = place;
  const { metadata, ...fields } = SAMPLES[kind] ?? {};
  const name = String((metadata as JsonObject | undefined)?.name ?? `probe-${apiVersion.replace("/", "-")}`);
  const body: JsonObject = { apiVersion, kind, ...structuredClone(fields), metadata: { name } };
  const ask = async (method: string, where: string, sent?: unknown) => {
    const response = await target.send({ method, path: where, body: sent });
    return { code: response.status, body: await response.json() as JsonObject };
  };
  const put = await ask("PUT", `${path}/${name}?dryRun=All`, body);
  const made = await ask("POST", path, body);
  if (made.code !== 201) {
    process.exitCode = 1;
    console.error(`The sample of ${apiVersion} ${kind} is refused: ${JSON.stringify(made.body)}`);
    return {};
  }
  // Controllers have their say before changes are tried.
  await target.pause(0.5);
  const { body: present } = await ask("GET", `${path}/${name}`);
  const { metadata: { resourceVersion: _version, ...unversioned } = {}, ...rest } = present as {
    metadata?: JsonObject;
  };
  const blind = await ask("PUT", `${path}/${name}?dryRun=All`, { ...rest, metadata: unversioned });
  const selectable = await selectableOf(target, place);
  const sealed = await sealedOf(
    place,
    present,
    (changed) => ask("PUT", `${path}/${name}?dryRun=All`, changed),
  );
  const { body: gone } = await ask("DELETE", `${path}/${name}?propagationPolicy=Background`);
  const isHeld = [gone.metadata, gone.spec].some((part) => (part as JsonObject | undefined)?.finalizers);
  return {
    ...((made.body.metadata as JsonObject).generation === undefined ? {} : { counted: true }),
    ...(put.code === 201 ? { createOnUpdate: true } : {}),
    ...(JSON.stringify(blind.body).includes("must be specified for an update") ? { conditional: true } : {}),
    ...(gone.kind === kind && !isHeld ? { returnsDeleted: true } : {}),
    ...(selectable.length > 0 ? { selectable } : {}),
    ...(sealed.length > 0 ? { sealed } : {}),
  };
}

/** Returns the fields by which lists can be selected. */
async function selectableOf(target: Target, { apiVersion, kind, path }: KindPlace): Promise<string[]> {
  const found: string[] = [];
  const paths = pathsOf(typeOfKind(apiVersion, kind) ?? "", 2).filter((field) =>
    !field.startsWith("metadata")
  );
  const waiting = [...paths];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let field = waiting.shift(); field !== undefined; field = waiting.shift()) {
      const query = `?limit=1&fieldSelector=${encodeURIComponent(`${field}=x`)}`;
      const { status } = await target.send({ method: "GET", path: `${path}${query}` });
      if (status === 200) found.push(field);
    }
  }));
  return paths.filter((field) => found.includes(field));
}

function pathsOf(type: string, depth: number): string[] {
  return (fieldsOf(type) ?? []).flatMap(({ name, shape }) => {
    const below = shape.kind === "type" && depth > 1 ? pathsOf(shape.name, depth - 1) : [];
    return [name, ...below.map((path) => `${name}.${path}`)];
  });
}

/** Changes each field beside the metadata and the status, and those of the spec, and reads the refusals. */
async function sealedOf(
  { apiVersion, kind }: KindPlace,
  present: JsonObject,
  put: (changed: JsonObject) => Promise<{ readonly code: number; readonly body: JsonObject }>,
): Promise<SealedField[]> {
  const type = typeOfKind(apiVersion, kind) ?? "";
  const found = new Map<string, SealedField & { readonly paths: string[] }>();
  const isOwn = ({ name }: Field) => !["apiVersion", "kind", "metadata", "status"].includes(name);
  const places: { readonly path: string[]; readonly field: Field }[] = [];
  for (const field of (fieldsOf(type) ?? []).filter(isOwn)) {
    const inner = field.name === "spec" && field.shape.kind === "type"
      ? fieldsOf(field.shape.name) ?? []
      : [];
    if (inner.length === 0) places.push({ path: [field.name], field });
    for (const each of inner) places.push({ path: [field.name, each.name], field: each });
  }
  for (const { path, field } of places) {
    for (const value of changesOf(valueAt(present, path), field)) {
      const changed = structuredClone(present);
      const holder = path.slice(0, -1).reduce((inner, step) => inner[step] as JsonObject, changed);
      holder[path.at(-1) ?? ""] = value as JsonObject[string];
      const { body } = await put(changed);
      for (const cause of objectsOf((body.details as JsonObject | undefined)?.causes)) {
        const message = String(cause.message);
        // NB: the field that is refused may be one within the field that was changed.
        const place = path.join(".");
        const at = /^[\w.]+$/.test(String(cause.field)) && String(cause.field).startsWith(`${place}.`)
          ? String(cause.field)
          : place;
        // NB: of an object as a whole that is refused, the differences are printed after a line.
        const [first = ""] = message.split("\n");
        if (!SEALED.test(first)) continue;
        const isForbidden = cause.reason === "FieldValueForbidden";
        const detail = isForbidden
          ? first.replace(/^Forbidden: /, "")
          : first.slice(first.lastIndexOf(": ") + 2);
        const key = `${cause.field} ${detail}`;
        const known = found.get(key);
        if (known === undefined) {
          found.set(key, {
            field: String(cause.field),
            detail,
            ...(isForbidden ? { forbidden: true } : {}),
            paths: [at],
          });
        } else if (!known.paths.includes(at)) known.paths.push(at);
      }
    }
  }
  // NB: where a field is refused by its own name alone, its path goes without saying.
  return [...found.values()].map(({ paths, ...rest }) =>
    paths.length === 1 && paths[0] === rest.field ? rest : { ...rest, paths }
  );
}

function valueAt(object: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => (value as JsonObject | undefined)?.[step], object);
}

/** Returns other values of a field: changed, and none. */
function changesOf(now: unknown, field: Field): unknown[] {
  const samples = valuesFor(field, undefined);
  const other = typeof now === "string"
    ? `${now}a`
    : typeof now === "number"
    ? now + 1
    : otherOf(now, field.shape, samples[0]);
  return now === undefined ? samples : typeof now === "boolean" ? [!now] : [other];
}

function otherOf(now: unknown, shape: Shape, sample: unknown): unknown {
  if (shape.kind === "map") {
    return {
      ...now as JsonObject,
      k: shape.of.kind === "scalar" && shape.of.format === "byte" ? "YQ==" : "v",
    };
  }
  if (Array.isArray(now)) return [...now, ...Array.isArray(sample) ? sample : []];
  if (typeof now !== "object" || now === null) return sample;
  return changed(now as JsonObject);
}

/** Returns a struct with one text or number in it changed. */
function changed(object: JsonObject): JsonObject {
  const copy = structuredClone(object);
  const walk = (value: JsonObject): boolean =>
    Object.entries(value).some(([key, inner]) => {
      if (typeof inner === "string") value[key] = `${inner}a`;
      else if (typeof inner === "number") value[key] = inner + 1;
      else return typeof inner === "object" && inner !== null && walk(inner as JsonObject);
      return true;
    });
  if (!walk(copy)) copy.matchLabels = { k: "v" };
  return copy;
}

function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value : [];
}
