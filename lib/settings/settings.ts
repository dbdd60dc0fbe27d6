/**
 * The settings' defaults, and how a user's own go on top of them.
 *
 * Settings of users are checked here, once: an unknown name, a wrong type or an impossible value is an error that names the
 * setting, the value and the values that are expected. Settings that startup handlers change are checked by `checkSettings()`.
 */

import { isObject } from "../model/json.ts";
import { nearest, RULES } from "./rules.ts";
import { auto } from "./persistence/presets.ts";
import type { Settings, SettingsOverrides } from "./sections.ts";

export type * from "./sections.ts";

const ADMISSION: Settings["admission"] = {
  server: null,
  managed: null,
  release: "own",
  certificateValidity: 31_536_000,
  certificateSettle: 60,
  linger: 10,
};

/** Returns the defaults of all settings; a new tree each time. */
export function defaultSettings(): Settings {
  return {
    process: { ultimateExitingTimeout: 600, heapSnapshots: false },
    probing: { reasons: false, metricsReview: false },
    posting: {
      enabled: true,
      failures: true,
      loggers: false,
      level: "info",
      api: "events.k8s.io/v1",
      reportingComponent: "lotse",
      reportingInstance: "dev",
      eventNamePrefix: "lotse-event-",
      defaultBackoffs: [1, 1, 2, 3, 5, 8, 13, 21],
      loggingBackoffs: [1, 1, 2, 3, 5],
      workerLimit: null,
      idleTimeout: 1,
    },
    peering: {
      name: "default",
      stealth: false,
      priority: 0,
      lifetime: 60,
      mandatory: false,
      standalone: false,
      clusterwide: false,
    },
    replicas: {
      enabled: false,
      name: null,
      namespace: null,
      shards: 1,
      leaseDuration: 15,
      renewDeadline: 10,
      retryPeriod: 2,
      drainTimeout: 30,
    },
    watching: {
      serverTimeout: null,
      clientTimeout: null,
      connectTimeout: null,
      reconnectBackoff: 0.1,
      inactivityTimeout: 70,
      chunkSize: 500,
      initialStreaming: "auto",
      labelSelectors: {},
      fieldSelectors: {},
      shardSelectors: {},
      metadataOnly: [],
      transform: {},
      memory: "auto",
    },
    queueing: {
      workerLimit: null,
      exitTimeout: 2,
      errorDelays: [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610],
      eventLimit: 100,
    },
    scanning: { disabled: false, clusterwideFrom: 10 },
    admission: { ...ADMISSION },
    execution: { defaultBackoff: 60, warnAfter: 60, objectPauses: true, maxWorkers: null },
    background: { cancellationPolling: 60, instantExitTimeout: null, instantExitZeroTimeCycles: 10 },
    networking: {
      requestTimeout: 300,
      responseTimeout: 75,
      connectTimeout: null,
      requestLimit: 64,
      fieldManager: "lotse",
      errorBackoffs: [1, 1, 2, 3, 5, 8, 13, 21],
      enforceRetryAfter: false,
      trustEnv: false,
    },
    persistence: { ...auto(), restored: "create", confidential: {}, consistencyTimeout: 5 },
  };
}

/**
 * Returns the settings with the overrides on top. Both arguments stay as they are; undefined leaves a setting alone.
 *
 * @throws {TypeError} If a section or setting is unknown (the message names the nearest known one), or a value is of the
 * wrong type.
 * @throws {RangeError} If a value is of the right type, but impossible.
 */
export function mergeSettings(base: Settings, overrides: SettingsOverrides): Settings {
  if (!isObject(overrides)) {
    throw new TypeError(`Cannot take ${show(overrides)} as settings: expected an object`);
  }
  const merged: Record<string, unknown> = {};
  for (const [name, section] of Object.entries(base)) merged[name] = { ...section };
  for (const [name, section] of Object.entries(overrides)) {
    if (section === undefined) continue;
    const known = sectionOf(merged, name);
    if (!isObject(section)) {
      const example = name === "persistence" ? " such as persistence.status()" : "";
      throw new TypeError(
        `Cannot set "${name}" to ${show(section)}: expected an object of settings${example}`,
      );
    }
    for (const [key, value] of Object.entries(section)) {
      if (value === undefined) continue;
      checkName(name, key);
      checkValue(`${name}.${key}`, value);
      known[key] = value;
    }
  }
  // Each section was copied from a whole one, and changed by checked values only.
  return merged as unknown as Settings;
}

/**
 * Checks all values; for settings that were changed in place.
 *
 * @throws {TypeError | RangeError} As `mergeSettings()`; also if a section or setting is missing.
 */
export function checkSettings(settings: Settings): void {
  mergeSettings(settings, settings);
  for (const name of Object.keys(RULES)) {
    const [section = "", key = ""] = name.split(".");
    const values: unknown = Object.entries(settings).find(([each]) => each === section)?.[1];
    checkValue(name, isObject(values) ? values[key] : undefined);
  }
}

function sectionOf(settings: Record<string, unknown>, name: string): Record<string, unknown> {
  const section = Object.hasOwn(settings, name) ? settings[name] : undefined;
  if (isObject(section)) return section;
  throw new TypeError(`Cannot set "${name}": there is no such section${hint(name, Object.keys(settings))}`);
}

function checkName(section: string, key: string): void {
  const name = `${section}.${key}`;
  if (Object.hasOwn(RULES, name)) return;
  throw new TypeError(`Cannot set "${name}": there is no such setting${hint(name, Object.keys(RULES))}`);
}

function checkValue(name: string, value: unknown): void {
  const complaint = RULES[name]?.(value);
  if (complaint === undefined) return;
  const message = `Cannot set "${name}" to ${show(value)}: expected ${complaint.expected}`;
  throw complaint.kind === "type" ? new TypeError(message) : new RangeError(message);
}

function hint(name: string, known: readonly string[]): string {
  const closest = nearest(name, known);
  return closest === undefined ? "" : `; did you mean "${closest}"?`;
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `[${value.slice(0, 20).map(show).join(", ")}]`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
