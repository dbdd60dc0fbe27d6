/**
 * Reads manifests from YAML files and folders, and applies them to the in-process API server, as `kubectl apply
 * --server-side --force-conflicts` would.
 *
 * Fields of others (finalizers, notes, status) stay. Fields that have left the manifest are removed, as are entries of
 * lists with keys; objects that have left a file are not deleted: operators may depend on them, and kubectl leaves them.
 */

import type { JsonObject, KubeObject } from "../../mod.ts";
import type { Host } from "../runtime/host.ts";
import { formatJson } from "../runtime/json.ts";
import type { Logger } from "../runtime/logging.ts";
import { parseYaml } from "../runtime/yaml.ts";
import { CommandError } from "./errors.ts";

export interface ApplyOptions {
  readonly host: Host;
  readonly logger: Logger;
  /** Answers requests to the API server; only their paths count. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** A kind in the API server's own words. Source: Kubernetes API reference, APIResourceList. */
interface ServedKind {
  readonly kind: string;
  /** The plural; "plural/status" for subresources. */
  readonly name: string;
  readonly namespaced: boolean;
}

/** How long a new CRD may take until its objects are served. In seconds. */
const SERVED_WITHIN = 10;

/**
 * Creates or changes objects: CRDs first, whatever their place, then the others in order.
 *
 * @throws {CommandError} If the server refuses one, or does not know its kind.
 */
export async function applyManifests(manifests: readonly Manifest[], options: ApplyOptions): Promise<void> {
  const definitions = manifests.filter(isDefinition);
  const others = manifests.filter((manifest) => !isDefinition(manifest));
  for (const manifest of [...definitions, ...others]) {
    const kind = await findKind(manifest, { ...options, patient: definitions.length > 0 });
    const done = await applyOne(manifest, kind, options);
    options.logger.info("Applied", { object: `${kind.name}/${manifest.metadata.name}`, result: done });
  }
}

/** Whether it defines a kind. */
export function isDefinition({ kind }: Manifest): boolean {
  return kind === "CustomResourceDefinition";
}

/** The field manager. No operator has this name, so that the fields of operators stay. */
const MANAGER = "lotse-dev";

/**
 * Metadata that the server writes. It comes with manifests that were copied from a cluster, and each of these fields
 * would be refused, or be compared with the object that is there. Source: Kubernetes API conventions, "Metadata".
 */
const SERVER_OWNED = new Set([
  "resourceVersion",
  "uid",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
]);

async function applyOne(manifest: Manifest, kind: ServedKind, { fetch }: ApplyOptions): Promise<string> {
  const { name = "", namespace = "default" } = manifest.metadata;
  const scope = kind.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const path = `${groupPath(manifest)}${scope}/${kind.name}/${encodeURIComponent(name)}`;
  const own = Object.entries(manifest.metadata).filter(([key]) => !SERVER_OWNED.has(key));
  const metadata = { ...Object.fromEntries(own), ...kind.namespaced && { namespace } };
  const body = toJson({ ...withData(manifest), metadata: metadata as Manifest["metadata"] });
  const before = await fetch(newRequest("GET", path));
  const answer = await fetch(newRequest("PATCH", `${path}?fieldManager=${MANAGER}&force=true`, body));
  if (!answer.ok) throw await refusal(manifest, answer);
  if (answer.status === 201) return "created";
  return await versionIn(before) === await versionIn(answer) ? "unchanged" : "configured";
}

/**
 * Returns a Secret with its `stringData` in `data`, as the server keeps it: `stringData` is never kept, and so has no owner, so
 * that a key that leaves it would stay.
 */
function withData(manifest: Manifest): Manifest {
  const { stringData, ...rest } = manifest;
  if (manifest.apiVersion !== "v1" || manifest.kind !== "Secret" || !isObject(stringData)) return manifest;
  const texts = Object.entries(stringData);
  if (texts.some(([, value]) => typeof value !== "string")) return manifest; // for the server to refuse
  const bytes = texts.map(([key, value]) => [key, toBase64(String(value))]);
  return { ...rest, data: { ...isObject(rest.data) ? rest.data : {}, ...Object.fromEntries(bytes) } };
}

function toBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Returns the version of the object in an answer; undefined where there is none. */
async function versionIn(response: Response): Promise<unknown> {
  const { metadata }: Partial<Manifest> = await response.json();
  return metadata?.resourceVersion;
}

/** @throws {CommandError} If the manifest contains itself, as objects in YAML can. */
function toJson(manifest: Manifest): string {
  try {
    return formatJson(manifest);
  } catch (error) {
    const { kind, metadata } = manifest;
    throw new CommandError(`Cannot apply ${kind} "${metadata.name}"`, { cause: error });
  }
}

/** Looks the kind up; a kind whose CRD has just been applied may take a moment. */
async function findKind(
  manifest: Manifest,
  { host, fetch, patient }: ApplyOptions & { readonly patient: boolean },
): Promise<ServedKind> {
  const deadline = host.clock.monotonic() + (patient ? SERVED_WITHIN : 0);
  while (true) {
    const response = await fetch(newRequest("GET", groupPath(manifest)));
    const kinds = response.ok ? kindsOf(await response.json()) : [];
    const found = kinds.find(({ kind, name }) => kind === manifest.kind && !name.includes("/"));
    if (found !== undefined) return found;
    if (host.clock.monotonic() >= deadline) throw unknownKind(manifest);
    await host.clock.sleep(0.05);
  }
}

function kindsOf(list: unknown): ServedKind[] {
  // The server in this very process answers: its lists have the shape that the API reference gives.
  return (list as { resources?: ServedKind[] }).resources ?? [];
}

function groupPath({ apiVersion }: Manifest): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function newRequest(method: "GET" | "PATCH", path: string, body?: string): Request {
  const type = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
  return new Request(`http://in-process${path}`, { method, body, headers: { "content-type": type } });
}

function unknownKind({ apiVersion, kind, metadata }: Manifest): CommandError {
  return new CommandError(
    `Cannot apply "${metadata.name}": the server has no kind "${kind}" in "${apiVersion}" (apply its CRD, too)`,
  );
}

async function refusal({ kind, metadata }: Manifest, response: Response): Promise<CommandError> {
  const status: unknown = await response.json().catch(() => undefined);
  const message = typeof status === "object" && status !== null && "message" in status ? status.message : "";
  return new CommandError(`Cannot apply ${kind} "${metadata.name}": ${message || `HTTP ${response.status}`}`);
}

const EXTENSIONS = [".yaml", ".yml", ".json"];

/** An object as it stands in a file. */
export interface Manifest extends KubeObject {
  apiVersion: string;
  kind: string;
}

/**
 * Returns manifest files: files as they are given, and of folders their YAML and JSON files, by name, without files that hold
 * no object of Kubernetes at all (package.json, deno.json, a chart's values, a kubeconfig, a kustomization).
 *
 * @throws {CommandError} If there is no such file or folder, or a folder has none.
 */
export async function findManifestFiles(paths: readonly string[], host: Host): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const absolute = host.files.resolve(host.process.cwd(), path);
    if (!(await host.files.exists(absolute))) {
      throw new CommandError(`Cannot read "${path}": there is no such file`);
    }
    if (isManifestFile(absolute)) {
      found.push(absolute);
      continue;
    }
    const entries = await host.files.list(absolute).catch((error: unknown) => {
      throw new CommandError(
        `Cannot read "${path}": it is neither a .yaml, .yml or .json file nor a folder that can be read`,
        { cause: error },
      );
    });
    const files = entries.filter(isManifestFile).sort().map((name) => host.files.resolve(absolute, name));
    const before = found.length;
    for (const file of files) if (await mayHoldManifests(file, host)) found.push(file);
    if (found.length === before) {
      throw new CommandError(`Cannot read "${path}": no .yaml, .yml or .json file with objects is in there`);
    }
  }
  return found;
}

/**
 * Reads all documents of a file; the items of a List count one by one.
 *
 * @throws {CommandError} If it is no YAML, or a document is no object of Kubernetes.
 */
export async function readManifests(file: string, host: Host): Promise<Manifest[]> {
  return parseDocuments(file, await host.files.readText(file)).flatMap((document) => {
    const items: unknown[] = document.kind === "List" && Array.isArray(document.items)
      ? document.items
      : [document];
    return items.map((item) => {
      if (isManifest(item)) return item;
      throw new CommandError(
        `Cannot apply "${file}": an object in it has no apiVersion, kind or metadata.name`,
      );
    });
  });
}

function parseDocuments(file: string, text: string): JsonObject[] {
  try {
    return parseYaml(text).map((document) => {
      if (isObject(document)) return document;
      throw new SyntaxError("A document in it is no object");
    });
  } catch (error) {
    throw new CommandError(`Cannot apply "${file}"`, { cause: error });
  }
}

/** A file that cannot be parsed may: reading it later reports the mistake. */
async function mayHoldManifests(file: string, host: Host): Promise<boolean> {
  const text = await host.files.readText(file).catch(() => undefined);
  if (text === undefined) return false; // a folder with such a name
  try {
    return parseYaml(text).some((each) =>
      isObject(each) && ("apiVersion" in each || each["kind"] === "List") && !isForTools(each)
    );
  } catch {
    return !file.endsWith(".json"); // JSON with comments is a configuration
  }
}

/** Whether it is for kubectl alone: a kubeconfig, or a file of Kustomize. */
function isForTools({ apiVersion, kind }: JsonObject): boolean {
  return (kind === "Config" && apiVersion === "v1") ||
    (typeof apiVersion === "string" && apiVersion.startsWith("kustomize.config.k8s.io/"));
}

function isManifestFile(path: string): boolean {
  return EXTENSIONS.some((extension) => path.endsWith(extension));
}

function isManifest(value: unknown): value is Manifest {
  return isObject(value) && typeof value.apiVersion === "string" && typeof value.kind === "string" &&
    isObject(value.metadata) && typeof value.metadata.name === "string";
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
