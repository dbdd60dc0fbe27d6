/**
 * Children: a Kiosk says what it needs, and its ConfigMaps and its Service are made, kept right, and taken away in order.
 */
import { kinds, operator, resource } from "@lotse/lotse";
import { child } from "@lotse/lotse/children";

interface KioskSpec {
  motto: string;
  shelves: string[];
  isOpen?: boolean;
}

const Kiosk = resource<KioskSpec>({ group: "example.com", version: "v1", plural: "kiosks" });

const op = operator();

op.reconcile(Kiosk, async function furnish({ name, spec, children, logger }) {
  const { site, shelves } = await children({
    // By its kind: a misspelt field does not compile.
    settings: child(kinds.ConfigMap, { data: { motto: spec.motto } }),
    // Several of a sort; each is found again by its key.
    shelves: new Map(
      spec.shelves.map((goods) => [goods, { apiVersion: "v1", kind: "ConfigMap", data: { goods } }]),
    ),
    // Made when the shelves are there, and taken away before them. Undefined: not now.
    site: spec.isOpen
      ? child(kinds.Service, { spec: { selector: { kiosk: name }, ports: [{ port: 80 }] } }, {
        dependsOn: ["shelves"],
      })
      : undefined,
  }, { condition: "Furnished" });
  logger.info("Furnished", { shelves: shelves.size, site: site?.metadata.name ?? "closed" });
});

// What somebody edits or deletes is put back at once.
op.owns(Kiosk, kinds.ConfigMap);
op.owns(Kiosk, kinds.Service);

export default op;
