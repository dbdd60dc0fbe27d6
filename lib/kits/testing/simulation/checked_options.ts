/** Checks the options of simulations and explorations, which are given by people who write tests without types, too. */

/** The rules of one function's options. */
export interface OptionRules {
  /** Such as "simulate". */
  readonly verb: string;
  /** All names. */
  readonly known: Readonly<Record<string, true>>;
  /** The least value of options that are whole numbers. */
  readonly least: Readonly<Record<string, number>>;
}

/** @throws {TypeError} If `make` is no function, or an option is unknown or wrong. */
export function checkOptions(make: unknown, options: object, { verb, known, least }: OptionRules): void {
  if (typeof make !== "function") {
    throw new TypeError(
      `Cannot ${verb} one operator: give a function that makes one, as each process has its own`,
    );
  }
  const given = new Map<string, unknown>(Object.entries(options));
  for (const name of given.keys()) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(`Cannot ${verb} with option "${name}": known are ${Object.keys(known).join(", ")}`);
  }
  for (const [name, limit] of Object.entries(least)) {
    const value = given.get(name);
    if (value === undefined || (Number.isInteger(value) && Number(value) >= limit)) continue;
    throw new TypeError(`Cannot ${verb} with \`${name}\` ${value}: it is a whole number, ${limit} or more`);
  }
}
