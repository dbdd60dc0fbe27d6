/** Puts the manifests of operators (definitions, examples, roles) into a test's cluster, from files, texts and objects. */

import type { Client } from "../../client/client.ts";
import { messageOf } from "../../client/errors.ts";
import { isSecret, withData, withoutServerFields } from "../../client/manifest.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import { currentHost } from "../../runtime/current_host.ts";
import { parseYaml } from "../../runtime/yaml.ts";
import type { Administrator } from "./administrator.ts";
import { pause } from "./time.ts";

/** An object as a test gives it; its spec and status may be of any interface. */
export type Manifest = Partial<KubeObject<object, object>>;

/**
 * Objects to be applied: the path of a YAML or JSON file, or of a folder with such files (from the working directory on), the
 * URL of one, a text of YAML (of more than one line), an object, or several of these.
 */
export type Manifests = string | URL | Manifest | readonly (string | URL | Manifest)[];

/** An object that says which kind it is of. */
export interface TypedManifest extends Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const DEFINITION = "CustomResourceDefinition";
const EXTENSION = /\.(ya?ml|json)$/;
/** In whose name objects are applied. */
const MANAGER = "test";
/** How often a kind is looked for whose definition has just been applied. */
const TRIES = 100;

/** Applies objects, definitions first. */
export async function applyAll(given: Manifests, admin: Administrator): Promise<KubeObject[]> {
  const all = await readManifests(given);
  const definitions = all.filter(({ kind }) => kind === DEFINITION);
  const applied = new Map<Manifest, KubeObject>();
  for (const manifest of definitions) applied.set(manifest, await applyOne(manifest, admin));
  for (const manifest of definitions) await untilServed(manifest, admin);
  for (const manifest of all) {
    if (!applied.has(manifest)) applied.set(manifest, await applyOne(manifest, admin));
  }
  return all.flatMap((manifest) => applied.get(manifest) ?? []);
}

/** Reads objects, and applies none. */
export async function readManifests(given: Manifests): Promise<TypedManifest[]> {
  return (await Promise.all((Array.isArray(given) ? given : [given]).map(readOne))).flat();
}

async function readOne(given: string | URL | Manifest): Promise<TypedManifest[]> {
  if (typeof given === "string" && given.includes("\n")) return documentsOf(given, "the text");
  if (typeof given !== "string" && !(given instanceof URL)) return [typed(given, "the object")];
  const { files } = currentHost();
  const path = given instanceof URL ? decodeURIComponent(given.pathname) : files.resolve(given);
  const names = await files.list(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOTDIR") return undefined;
    throw new Error(`Cannot apply "${given}": there is no such file`, { cause: error });
  });
  if (names === undefined) return documentsOf(await files.readText(path), `"${given}"`);
  const inside = names.filter((name) => EXTENSION.test(name)).map((name) => files.resolve(path, name));
  const texts = await Promise.all(inside.map((file) => files.readText(file)));
  return texts.flatMap((text, index) => documentsOf(text, `"${inside[index]}"`));
}

function documentsOf(text: string, source: string): TypedManifest[] {
  return parsed(text, source).flatMap((document) => {
    const isList = isObject(document) && document.kind === "List" && Array.isArray(document.items);
    const items: readonly unknown[] = isList ? document.items as unknown[] : [document];
    return items.map((item) => typed(item, source));
  });
}

/** @throws {SyntaxError} If the text is no YAML. */
function parsed(text: string, source: string): readonly unknown[] {
  try {
    return parseYaml(text);
  } catch (cause) {
    throw new SyntaxError(`Cannot apply ${source}: ${messageOf(cause)}`, { cause });
  }
}

/** @throws {TypeError} If it is no object of Kubernetes. */
function typed(item: unknown, source: string): TypedManifest {
  const { apiVersion, kind, metadata } = isObject(item) ? item : {};
  const isNamed = isObject(metadata) && (metadata.name !== undefined || metadata.generateName !== undefined);
  if (typeof apiVersion === "string" && typeof kind === "string" && isNamed) return item as TypedManifest;
  throw new TypeError(`Cannot apply ${source}: an object in it has no apiVersion, kind or name`);
}

async function applyOne(manifest: TypedManifest, admin: Administrator): Promise<KubeObject> {
  const { client } = admin;
  const { apiVersion, kind, metadata = {} } = manifest;
  const title = `${kind} "${metadata.name ?? metadata.generateName}"`;
  const resource = await findKind(manifest, admin);
  if (resource === undefined) {
    throw new Error(
      `Cannot apply ${title}: the cluster knows no kind "${kind}" in "${apiVersion}" (apply its definition, too)`,
    );
  }
  const { name, namespace = "default" } = metadata;
  const place = resource.namespaced ? { namespace } : {};
  // Objects that a cluster prints may be applied, too.
  const { manifest: own } = withoutServerFields(manifest, { subresources: [] });
  const object = { ...isSecret(resource) ? withData(own) : own, metadata: { ...own.metadata, ...place } };
  try {
    if (name === undefined) return await client.create(resource, object, place);
    return await applyNamed(client, resource, { name, place, object });
  } catch (error) {
    throw new Error(`Cannot apply ${title}: ${messageOf(error)}`, { cause: error });
  }
}

function applyNamed(
  client: Client,
  resource: Resource,
  { name, place, object }: {
    readonly name: string;
    readonly place: { readonly namespace?: string };
    readonly object: Manifest;
  },
): Promise<KubeObject> {
  const patch = { type: "apply", body: object, fieldManager: MANAGER, force: true } as const;
  return client.patch(resource, { ...place, name }, patch);
}

async function findKind(
  { apiVersion, kind }: TypedManifest,
  { client }: Administrator,
): Promise<Resource | undefined> {
  const [group = "", version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const isOurs = (each: Resource): boolean => each.kind === kind && each.version === version;
  return (await client.discovery.group(group)).find(isOurs) ??
    (await client.discovery.refresh(group)).find(isOurs);
}

/** Waits until the kind of a definition is served, which takes a moment. */
async function untilServed({ spec }: Manifest, { client, host }: Administrator): Promise<void> {
  if (!isObject(spec) || !isObject(spec.names) || typeof spec.group !== "string") return;
  const { group, names: { plural } } = spec;
  for (let tries = 0; tries < TRIES; tries++) {
    const served = await client.discovery.refresh(group);
    if (served.some((each) => each.plural === plural)) return;
    await pause(host);
  }
  throw new Error(`Cannot apply the definition of "${plural}.${group}": its kind is not served`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
