/**
 * The subject of a server's certificate: names and addresses by which it is reached, sorted as certificates have them.
 */

/** Sorts names and addresses; addresses that stand for all interfaces are left out. */
export function subjectOf(
  hosts: readonly string[],
): {
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
} {
  const given = hosts.map((host) => host.replace(/^\[(.*)\]$/, "$1").toLowerCase())
    .filter((host) => host !== "" && host !== "0.0.0.0" && host !== "::");
  const unique = [...new Set(given)];
  const ipAddresses = unique.filter(isAddress);
  const dnsNames = unique.filter((host) => !isAddress(host));
  return { commonName: dnsNames[0] ?? ipAddresses[0] ?? "localhost", dnsNames, ipAddresses };
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}
