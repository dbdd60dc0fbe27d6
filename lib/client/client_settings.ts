/**
 * The settings that the client reads: so much of `settings/` as a test or a small program would have to write down.
 */

import type { NetworkingSettings as Networking, WatchingSettings as Watching } from "../settings/sections.ts";

/** How requests are made. */
export type NetworkingSettings = Readonly<Networking>;

/** How objects are watched. Which ones is said with each watch. */
export type WatchingSettings = Readonly<
  Omit<Watching, "labelSelectors" | "fieldSelectors" | "shardSelectors" | "metadataOnly" | "transform">
>;
