/** Copies Secrets into the namespaces that they name. */
import { kinds, operator } from "@lotse/lotse";

const COPIED = "example.com/copied";
const COPY_TO = "example.com/copy-to";
/** On copies: whose they are. */
const COPY_OF = "example.com/copy-of";

const op = operator();

// Secrets are watched anyway: to look copies up costs no request.
const secrets = op.cache(kinds.Secret, {
  indexes: { origin: ({ metadata }) => metadata.labels?.[COPY_OF] ?? [] },
});

function originOf(namespace: string | undefined, name: string): string {
  return `${namespace}.${name}`;
}

async function removeCopies(origin: string, isWanted: (namespace: string) => boolean): Promise<string[]> {
  const removed: string[] = [];
  for (const { metadata } of secrets.by("origin", origin)) {
    const { name = "", namespace = "" } = metadata;
    if (isWanted(namespace)) continue;
    await op.api.delete(kinds.Secret, { name, namespace }, { ifExists: true });
    removed.push(namespace);
  }
  return removed;
}

op.reconcile(kinds.Secret, {
  labels: { [COPIED]: "yes" },
  async finalize({ namespace, name, logger }) {
    const removed = await removeCopies(originOf(namespace, name), () => false);
    for (const each of removed) logger.info("Removed", { namespace: each });
  },
}, async function copy({ namespace, name, body, annotations, logger }) {
  const { type, data } = body;
  const origin = originOf(namespace, name);
  const wanted = (annotations[COPY_TO] ?? "").split(",").map((each) => each.trim()).filter((each) =>
    each !== ""
  );
  const present = new Set([...secrets.by("origin", origin)].map(({ metadata }) => metadata.namespace));
  for (const each of wanted) {
    // The label of the original stays behind: copies of copies would have no end.
    const metadata = { name, namespace: each, labels: { [COPY_OF]: origin } };
    await op.api.apply(kinds.Secret, { metadata, type, data });
    if (!present.has(each)) logger.info("Copied", { namespace: each });
  }
  const removed = await removeCopies(origin, (each) => wanted.includes(each));
  for (const each of removed) logger.info("Removed", { namespace: each });
});

export default op;
