/**
 * What one daemon or timer writes: sends it, keeps what could not be sent, and heeds the brake on what wakes itself.
 *
 * It is there only while there is something to keep: ten thousand timers that wait have none.
 */

import { Patch, type PatchFunction } from "../../model/patch.ts";
import type { BackgroundHandler } from "../../registry/handlers.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { type Backlog, type DeliveredWrite, sendPatch } from "./delivery.ts";
import { runsOnChange } from "./pauses.ts";
import type { Attached, ObjectRecord } from "./record.ts";
import type { Surroundings } from "./surroundings.ts";

/** Whose writes these are. */
export interface OutboxOptions {
  readonly handler: BackgroundHandler;
  readonly record: Pick<ObjectRecord<Attached>, "subject" | "body" | "adopt">;
  readonly world: Pick<Surroundings, "client" | "clock" | "settings" | "signal" | "observer" | "brake">;
}

/** The writes of one daemon or timer. */
export class Outbox {
  readonly #options: OutboxOptions;
  #backlog: Backlog | undefined;
  #resend: Seconds = Infinity;
  #brakedUntil: Seconds = -Infinity;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** When the backlog is to be sent; Infinity: there is none, or it waits for the next run. */
  get resend(): Seconds {
    return this.#resend;
  }

  /** It wakes itself again and again, and must not run before this. */
  get brakedUntil(): Seconds {
    return this.#brakedUntil;
  }

  /** Functions of a patch that have lost against somebody else's change: the next run gets them. */
  get lost(): readonly PatchFunction[] {
    return this.#backlog?.lost ?? [];
  }

  /** Whether something is left to be written. */
  get hasBacklog(): boolean {
    return this.#backlog !== undefined;
  }

  /** Whether something has failed to be written, and waits for the next time. */
  get hasUnsent(): boolean {
    return this.#backlog?.unsent !== undefined;
  }

  /** Whether there is nothing to remember. */
  get isEmpty(): boolean {
    return !this.hasBacklog && this.#brakedUntil <= this.#options.world.clock.monotonic();
  }

  /** Sends a patch, after what is left of earlier ones. Never throws. */
  async send(patch: Patch, logger: Logger): Promise<void> {
    const { record, world } = this.#options;
    const { clock, settings, brake } = world;
    await brake?.lookAround(record.subject, logger);
    this.#backlog = await sendPatch(patch, {
      ...world,
      logger,
      resource: record.subject.resource,
      body: record.body,
      backlog: this.#backlog,
      errorDelays: [...settings.queueing.errorDelays],
      adopt: (body) => record.adopt(body),
      onWritten: (written) => this.#tellWritten(written, logger),
    });
    this.#resend = this.hasUnsent ? clock.monotonic() + (this.#backlog?.retryIn ?? 0) : Infinity;
  }

  /** There is no next run: what has been lost is to be sent again, now. */
  takeBack(): void {
    if (this.lost.length === 0) return;
    const unsent = new Patch();
    unsent.fns.push(...this.lost);
    this.#backlog = { unsent, lost: [], failures: 0, retryIn: 0 };
    this.#resend = this.#options.world.clock.monotonic();
  }

  #tellWritten({ paths, writes, ...write }: DeliveredWrite, logger: Logger): void {
    const { handler, record: { subject }, world: { observer, brake, clock } } = this.#options;
    const by = { handler: handler.id, type: handler.type, onChange: runsOnChange(handler), ...write };
    const { version } = write;
    observer?.written?.(subject, { paths, writes, version, byEvent: false, concluded: false, by });
    const pause = brake?.pauseAfter(subject, logger);
    if (pause !== undefined) this.#brakedUntil = clock.monotonic() + pause;
  }
}
