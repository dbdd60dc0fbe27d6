/** The version of this package; a test compares it with deno.json's. */

/** As in "lotse 0.1.0". */
export const VERSION = "0.1.0";
