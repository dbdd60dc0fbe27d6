/**
 * Rehearsals: the effects of code on a live cluster, seen on a copy of it. For the command `lotse rehearse`.
 *
 * @module
 */

export type { ClusterCopy } from "./cluster_copy.ts";
export { readFork, writeFork } from "./fork_file.ts";
export { play, type Played } from "./play.ts";
export { copyLiveCluster, type CopyLiveOptions } from "./reading.ts";
export { compareRuns, type CopyDescription, type Rehearsal } from "./rehearsal.ts";
export { reportRehearsal } from "./rehearsal_report.ts";
export { type Refusal, settle, type Stubs } from "./stage.ts";
