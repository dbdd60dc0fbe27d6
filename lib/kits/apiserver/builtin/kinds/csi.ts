/** Drivers of storage, and their work on nodes: CSIDrivers, CSINodes, VolumeAttachments, VolumeAttributesClasses. */

import { ageOf, at, countCell, itemsCell, listAt, row, textAt, textCell, valueCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { protect } from "../volumes.ts";

export const CSI_DRIVER: KindModule = {
  cells: row(
    valueCell("spec.attachRequired", true),
    valueCell("spec.podInfoOnMount", false),
    valueCell("spec.storageCapacity", false),
    (object) =>
      at(object, "spec", "tokenRequests") === undefined
        ? "<unset>"
        : listAt(object, "spec", "tokenRequests").map((one) => textAt(one, "audience")).join(","),
    valueCell("spec.requiresRepublish", false),
    itemsCell("spec.volumeLifecycleModes", "<none>"),
    ageOf,
  ),
};

export const CSI_NODE: KindModule = { cells: row(countCell("spec.drivers"), ageOf) };

export const VOLUME_ATTACHMENT: KindModule = {
  cells: row(
    textCell("spec.attacher"),
    textCell("spec.source.persistentVolumeName"),
    textCell("spec.nodeName"),
    valueCell("status.attached", false),
    ageOf,
  ),
};

export const VOLUME_ATTRIBUTES_CLASS: KindModule = {
  admit: protect("VolumeAttributesClass"),
  cells: row(textCell("driverName"), ageOf),
};
