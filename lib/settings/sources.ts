/**
 * Settings from outside of the code: from a file, and from variables `LOTSE_<SECTION>_<SETTING>`.
 *
 * The operator of a cluster sets there the values that an author cannot know. A name or value that is not understood is an error, as in code: a setting
 * that is silently not there does harm. Settings that are functions or objects of code cannot come from outside.
 */

import { isObject } from "../model/json.ts";
import { nearest, RULES } from "./rules.ts";
import type { SettingsOverrides } from "./sections.ts";

/** Settings that are made of code. */
const CODE: ReadonlySet<string> = new Set([
  "admission.server",
  "watching.transform",
  "watching.metadataOnly",
  "persistence.diffBase",
  "persistence.progress",
  "persistence.warnings",
]);

/** The beginnings of variables that are options of the command line: `LOTSE_RUN_NAMESPACE` is `lotse run --namespace`. */
const COMMANDS: ReadonlySet<string> = new Set([
  "APISERVER",
  "APPLY",
  "BUILD",
  "DEV",
  "FREEZE",
  "GENERATE",
  "NEW",
  "RESUME",
  "RUN",
]);

/** The variable that names a file of settings. */
export const SETTINGS_FILE = "LOTSE_SETTINGS";

/** Settings by the names of their variables: "LOTSE_EXECUTION_MAX_WORKERS". */
const VARIABLES: ReadonlyMap<string, string> = new Map(
  Object.keys(RULES).filter((name) => !CODE.has(name)).map((name) => [variableOf(name), name]),
);

/** Returns the variable of a setting: "LOTSE_EXECUTION_MAX_WORKERS" for "execution.maxWorkers". */
export function variableOf(name: string): string {
  return `LOTSE_${name.replaceAll(/[A-Z]/g, "_$&").replaceAll(".", "_").toUpperCase()}`;
}

/**
 * Returns the settings that variables hold. Values are JSON, or texts as they are.
 *
 * @throws {TypeError} If a variable that begins with "LOTSE_" is no setting, nor an option of the command line.
 */
export function settingsFromVariables(
  names: readonly string[],
  valueOf: (name: string) => string | undefined,
): SettingsOverrides {
  const settings: Record<string, Record<string, unknown>> = {};
  for (const variable of [...names].sort()) {
    if (!variable.startsWith("LOTSE_") || variable === SETTINGS_FILE) continue;
    const name = VARIABLES.get(variable);
    if (name === undefined) {
      if (COMMANDS.has(variable.split("_")[1] ?? "")) continue;
      throw new TypeError(`Cannot take variable "${variable}" for a setting: ${whyUnknown(variable)}`);
    }
    const [section = "", key = ""] = name.split(".");
    const text = valueOf(variable) ?? "";
    (settings[section] ??= {})[key] = valueFrom(name, text);
  }
  // The values are checked when they are merged.
  return settings as SettingsOverrides;
}

/**
 * Returns the settings of a file: sections with settings, in YAML or JSON.
 *
 * @throws {TypeError} If it holds anything else, or a setting that is made of code.
 */
export function settingsFromDocuments(documents: readonly unknown[], path: string): SettingsOverrides {
  const [content = {}, ...others] = documents;
  if (others.length > 0 || !isObject(content)) {
    throw new TypeError(`Cannot take settings from "${path}": it must hold one object of sections`);
  }
  for (const [section, settings] of Object.entries(content)) {
    for (const key of isObject(settings) ? Object.keys(settings) : []) {
      if (CODE.has(`${section}.${key}`)) {
        throw new TypeError(`Cannot take "${section}.${key}" from "${path}": it is made of code`);
      }
    }
  }
  return content as SettingsOverrides; // checked when they are merged
}

function whyUnknown(variable: string): string {
  const code = [...CODE].find((name) => variableOf(name) === variable);
  if (code !== undefined) return `"${code}" is made of code`;
  const near = nearest(variable, VARIABLES.keys());
  return `there is no such setting${near === undefined ? "" : `; did you mean "${near}"?`}`;
}

/** "10" is a number for settings that are numbers, and a text for settings that are texts. */
function valueFrom(name: string, text: string): unknown {
  const parsed = parse(text);
  const rule = RULES[name];
  return rule?.(parsed) !== undefined && rule?.(text) === undefined ? text : parsed;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
