/** Names that files in deploy/ need. */

interface Names {
  readonly name: string;
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  /** Reconciles see what happens to ConfigMaps. */
  readonly manner: "handlers" | "reconcile";
}

/** Returns the definition of its kind. */
export function crd({ kind, plural, group }: Names): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.${group}
spec:
  group: ${group}
  scope: Namespaced
  names: { plural: ${plural}, singular: ${kind.toLowerCase()}, kind: ${kind} }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      additionalPrinterColumns:
        - { name: Written, type: string, jsonPath: .status.written }
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [message]
              properties:
                message: { type: string, minLength: 1 }
                copies: { type: integer, minimum: 0, maximum: 10 }
            status:
              type: object
              # Handlers keep what is unfinished here or in annotations.
              x-kubernetes-preserve-unknown-fields: true
              properties:
                written: { type: string }
`;
}

/** Returns an object of it. */
export function example({ kind, group }: Names): string {
  return `apiVersion: ${group}/v1
kind: ${kind}
metadata:
  name: hello
  namespace: default
spec:
  message: Hello
`;
}

/** Returns what the operator needs in a cluster, with the least rights that its handlers work with. */
export function manifests({ name, plural, group, manner }: Names): string {
  const verbs = manner === "reconcile" ? "get, list, watch, create, patch" : "get, create, patch";
  return `# Everything but the image: put yours into the Deployment below. After changes to the handlers, see what rights they need by
# "lotse generate rbac handlers.ts", or make all of this anew by "lotse generate manifests handlers.ts --image …".
apiVersion: v1
kind: Namespace
metadata:
  name: ${name}
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: ${name}, namespace: ${name} }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: ${name}
rules:
  - { apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [list, watch] }
  - { apiGroups: [""], resources: [namespaces], verbs: [list, watch] }
  - { apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch] }
  - { apiGroups: [""], resources: [events], verbs: [create, patch] }
  - { apiGroups: [${group}], resources: [${plural}], verbs: [get, list, watch, patch] }
  - { apiGroups: [${group}], resources: [${plural}/status], verbs: [patch] }
  # Whoever makes an object that blocks its owner's deletion must be allowed to do that.
  - { apiGroups: [${group}], resources: [${plural}/finalizers], verbs: [update] }
  - { apiGroups: [""], resources: [configmaps], verbs: [${verbs}] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ${name}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name} }
subjects:
  - { kind: ServiceAccount, name: ${name}, namespace: ${name} }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: ${name} }
spec:
  replicas: 1
  strategy: { type: Recreate } # one at a time
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      serviceAccountName: ${name}
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: operator
          image: registry.example.com/${name}:0.1.0
          args: [--all-namespaces, --standalone, --log-format=json, --liveness=http://0.0.0.0:8080/healthz]
          ports: [{ name: http, containerPort: 8080 }]
          startupProbe: { httpGet: { path: /livez, port: http }, periodSeconds: 2, failureThreshold: 60 }
          livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 20, timeoutSeconds: 10 }
          readinessProbe: { httpGet: { path: /readyz, port: http } }
          resources: { requests: { cpu: 50m, memory: 128Mi }, limits: { memory: 512Mi } }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
`;
}
