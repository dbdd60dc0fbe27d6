/**
 * An index: festivals invite the people of their city, without asking the API server who they are.
 *
 * `peopleByCity` is kept up to date in memory, and is complete before the first handler is called.
 */
import { operator, resource } from "@lotse/lotse";

interface PersonSpec {
  city: string;
  age: number;
}

interface FestivalSpec {
  city: string;
  minimumAge?: number;
}

interface FestivalStatus {
  guests?: string[];
}

const Person = resource<PersonSpec>({ group: "example.com", version: "v1", plural: "people" });

const Festival = resource<FestivalSpec, FestivalStatus>({
  group: "example.com",
  version: "v1",
  plural: "festivals",
});

const op = operator();

/** A map from cities to those who live there: the record's keys are the index's, its values go into their lists. */
const peopleByCity = op.index(Person, function peopleByCity({ name, spec }) {
  return { [spec.city]: { name, age: spec.age } };
});

op.on.field(Festival, "spec.city", function invite({ new: city, spec, patch, logger }) {
  const people = city === undefined ? [] : peopleByCity.get(city) ?? [];
  const guests = people.filter(({ age }) => age >= (spec.minimumAge ?? 0)).map(({ name }) => name).sort();
  patch.status.guests = guests;
  logger.info("Invited", { city, guests: guests.join(" ") });
});

op.on.event(Person, function miss({ type, spec, logger }) {
  if (type === "DELETED") logger.info("Has gone", { left: peopleByCity.get(spec.city)?.length ?? 0 });
});

export default op;
