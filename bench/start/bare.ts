/** A program that does nothing, to compare with. */
console.log("ready");
