/** The labels by which the objects of an operator are known in its namespace. Source: Kubernetes, "Recommended Labels". */

/** Returns the labels of all objects that belong to an operator. */
export function labelsOf(name: string): Record<string, string> {
  return { "app.kubernetes.io/name": name };
}
