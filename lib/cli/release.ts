/** Which release of the author's operator is built: its version and commit, for `--version`. */

import type { Host } from "../runtime/host.ts";

/** The facts of a release. Without times, so that the same sources give the same bytes. */
export interface Release {
  /** Such as "1.4.0". */
  readonly version?: string;
  /** Such as "1a2b3c4d5e6f", with "-dirty" where files were changed since. */
  readonly commit?: string;
}

/**
 * Returns the version and commit of the flags; by default the version in the nearest package.json or deno.json, and the commit
 * that git names.
 */
export async function releaseOf(
  folder: string,
  { release, commit }: { readonly release?: string; readonly commit?: string },
  host: Host,
): Promise<Release> {
  return {
    version: release ?? await findVersion(folder, host),
    commit: commit ?? await findCommit(folder, host),
  };
}

async function findVersion(start: string, { files }: Host): Promise<string | undefined> {
  for (let folder = start;; folder = files.folderOf(folder)) {
    for (const name of ["package.json", "deno.json"]) {
      const text = await files.readText(files.resolve(folder, name)).catch(() => undefined);
      if (text === undefined) continue;
      const version = versionIn(text);
      if (version !== undefined) return version;
    }
    if (files.folderOf(folder) === folder) return undefined;
  }
}

function versionIn(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || !("version" in parsed)) return undefined;
    return typeof parsed.version === "string" ? parsed.version : undefined;
  } catch {
    return undefined; // a deno.json may have comments; then --release says it
  }
}

async function findCommit(folder: string, host: Host): Promise<string | undefined> {
  const git = async (...args: string[]): Promise<string | undefined> => {
    const result = await host.process.run("git", ["-C", folder, ...args]).catch(() => undefined);
    return result?.code === 0 ? result.stdout.trim() : undefined;
  };
  const commit = await git("rev-parse", "--short=12", "HEAD");
  if (commit === undefined) return undefined;
  return await git("status", "--porcelain", "--untracked-files=no") === "" ? commit : `${commit}-dirty`;
}
