/**
 * What an operator does apart from objects: it opens a store when it starts, tells the kubelet how the store is, and closes
 * it when everything else has stopped.
 */
import { operator, resource, TemporaryError } from "@lotse/lotse";

interface EntrySpec {
  text: string;
}

const Entry = resource<EntrySpec>({ group: "example.com", version: "v1", plural: "entries" });

/** Stands for a connection to something outside of the cluster. */
class Store {
  readonly texts = new Map<string, string>();
  isOpen = true;
}

const op = operator();
let store: Store | undefined;

op.on.startup(function open({ settings, retry, logger }) {
  settings.execution.defaultBackoff = 10;
  if (retry === 0) throw new TemporaryError("The store is not up yet", { delay: 2 });
  store = new Store();
  logger.info("Opened the store");
});

op.on.probe(function entries() {
  return store?.texts.size;
});

op.on.create(Entry, function write({ name, spec, logger }) {
  store?.texts.set(name, spec.text);
  logger.info("Wrote it down", { text: spec.text });
});

op.on.cleanup(function close({ logger }) {
  if (store === undefined) return;
  store.isOpen = false;
  logger.info("Closed the store", { entries: store.texts.size });
});

export default op;
