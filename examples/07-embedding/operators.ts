/** Two operators: one keeps the book of guests, the other writes down whatever happens to them. */
import { type ChangeHandlerArguments, operator, resource } from "@lotse/lotse";

interface GuestSpec {
  seats?: number;
}

const Guest = resource<GuestSpec>({ group: "example.com", version: "v1", plural: "guests" });

/** What the program and the first operator share: it comes from outside, by the memo. */
export interface Book {
  readonly seats: Map<string, number>;
}

export const receptionist = operator();

receptionist.on.create(Guest, { id: "seat" }, seat);
receptionist.on.resume(Guest, { id: "seat" }, seat);
receptionist.on.update(Guest, { id: "seat" }, seat);

function seat({ name, spec, memo, logger }: ChangeHandlerArguments<GuestSpec>) {
  const { seats } = memo.book as Book;
  seats.set(name, spec.seats ?? 1);
  logger.info("Seated", { seats: spec.seats ?? 1 });
}

receptionist.on.delete(Guest, function release({ name, memo, logger }) {
  (memo.book as Book).seats.delete(name);
  logger.info("Released");
});

export const chronicler = operator();

// Raw events leave no notes on objects: two operators with notes on the same objects need two prefixes.
chronicler.on.event(Guest, function write({ type, logger }) {
  logger.info("Written down", { event: type ?? "LISTED" });
});
