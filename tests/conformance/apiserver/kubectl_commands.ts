/** What users type: chapters of kubectl's commands, each line of which must say the same on both servers. */

const DEFINITION = "examples/02-database/crd.yaml";
const DATABASES = "examples/02-database/databases.yaml";

const CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { a: '1' }\n";
const WEB = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: c, image: "nginx:1", ports: [{ containerPort: 80 }] }] }
`;
const SIDECAR = '{"spec":{"template":{"spec":{"containers":[{"name":"d","image":"x"}]}}}}';

const DEVICES = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: { name: gpu.example.com }
spec: { selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }] }
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: { name: gpu }
spec: { devices: { requests: [{ name: one, exactly: { deviceClassName: gpu.example.com } }] } }
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: { name: gpu }
spec:
  metadata: { labels: { a: b } }
  spec: { devices: { requests: [{ name: one, exactly: { deviceClassName: gpu.example.com, allocationMode: All } }] } }
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: { name: worker-gpu }
spec:
  driver: gpu.example.com
  nodeName: worker
  pool: { name: worker, generation: 1, resourceSliceCount: 1 }
  devices: [{ name: gpu-0, attributes: { model: { string: a100 } }, capacity: { memory: { value: 40Gi } } }]
`;
const NODE = `
apiVersion: v1
kind: Node
metadata: { name: worker }
spec: { taints: [{ key: node.kubernetes.io/not-ready, effect: NoSchedule }] }
`;

/** One call: its arguments, and what it reads. */
export interface KubectlCall {
  readonly args: readonly string[];
  readonly input?: string;
  /** What `kubectl edit` runs on its file. */
  readonly editor?: string;
}

/** Some calls in order, under what they are about. */
export interface Chapter {
  readonly title: string;
  readonly calls: readonly KubectlCall[];
}

/** Splits at spaces; what has spaces inside follows as further arguments. */
function call(text: string, ...more: string[]): KubectlCall {
  return { args: [...text.split(" "), ...more] };
}

/** In order: later chapters build upon what earlier ones leave. */
export const CHAPTERS: readonly Chapter[] = [
  {
    title: "apply, get and describe",
    calls: [
      call(`apply -f ${DEFINITION}`),
      call("wait --for=condition=Established crd/databases.example.com"),
      call("get crd"),
      call(`apply -f ${DATABASES}`),
      call(`apply -f ${DATABASES}`),
      call("get db"),
      call("get db -A"),
      call("get db -o name"),
      call("get db --show-labels --no-headers"),
      call("get db -o wide --sort-by=.spec.engine"),
      call("get db orders -o yaml"),
      call("get db -o json"),
      call("get db -o", 'jsonpath={range .items[*]}{.metadata.name}={.spec.engine}{"\\n"}{end}'),
      call("get db -o custom-columns=N:.metadata.name,E:.spec.engine"),
      call("get db --field-selector metadata.name=wiki"),
      call("get db -l a=b"),
      call("get db nope"),
      call("get nope"),
      call("describe db orders"),
      call("describe crd databases.example.com"),
    ],
  },
  {
    title: "patch, label, annotate, edit and diff",
    calls: [
      call("patch db orders --type=merge -p", '{"spec":{"replicas":3}}'),
      call("patch db orders --type=json -p", '[{"op":"replace","path":"/spec/replicas","value":4}]'),
      call("patch db orders --type=merge -p", '{"spec":{"replicas":9}}'),
      call("patch db orders --type=merge --subresource=status -p", '{"status":{"state":"Fine"}}'),
      call("label db orders tier=gold"),
      call("label db orders tier=silver"),
      call("label db orders tier=silver --overwrite"),
      call("get db -l tier=silver"),
      call("label db orders tier-"),
      call("annotate db --all note=hello"),
      call("annotate db --all note-"),
      { ...call("edit db orders"), editor: "sed -i /replicas/s/4$/2/" },
      { ...call("edit db orders"), editor: "true" },
      { ...call("edit db orders"), editor: "sed -i /replicas/s/2$/x/" },
      call(`diff -f ${DATABASES}`),
      call(`apply -f ${DATABASES} --dry-run=server`),
      call("scale db orders --replicas=3"),
      call("get db orders -o jsonpath={.spec}{.status}{.metadata.generation}"),
    ],
  },
  {
    title: "wait, watch and delete",
    calls: [
      call("wait db/orders --for=jsonpath={.status.state}=Fine --timeout=5s"),
      call("wait db/orders --for=jsonpath={.status.state}=Bad --timeout=1s"),
      call("get db --watch --output-watch-events --request-timeout=1s"),
      call("delete db wiki"),
      call("delete db wiki"),
      call("delete db wiki --ignore-not-found"),
      call(`delete -f ${DATABASES} --ignore-not-found`),
      call("get db"),
    ],
  },
  {
    title: "explain and api-resources",
    calls: [
      call("explain db.spec"),
      call("explain db.spec.version"),
      call("explain db.status"),
      call("explain db"),
      call("explain pod"),
      call("explain pod.spec.containers.resources"),
      call("explain pod.spec.volumes.emptyDir"),
      call("explain configmap.data"),
      call("explain crd.spec.versions"),
      call("api-resources --api-group=example.com"),
      call("api-resources --api-group=batch --no-headers -o name"),
      call("get --raw /healthz"),
      call("auth can-i create pods"),
    ],
  },
  {
    title: "create and replace",
    calls: [
      { ...call("create -f -"), input: CONFIG_MAP },
      { ...call("create -f -"), input: CONFIG_MAP },
      { ...call("replace -f -"), input: CONFIG_MAP.replace("'1'", "'2'") },
      call("describe cm settings"),
      call("create namespace team"),
      call("get namespaces"),
      call("create configmap more --from-literal=k=v --from-literal=__proto__=x"),
      call("get cm more -o yaml"),
      call("create secret generic hidden --from-literal=p=q"),
      call("describe secret hidden"),
      call("create serviceaccount robot"),
      call("create service nodeport front --tcp=80:http"),
      call("get service front -o jsonpath={.spec.ports[0].targetPort}{.spec.selector}{.spec.type}"),
      call("create job once --image=x -- echo hi"),
      call("get job once -o jsonpath={.spec.template.spec}"),
      call("create cronjob nightly --image=x --schedule=@daily"),
      call("create ingress door --rule=a.b/c=front:80"),
      call("get ingress door -o jsonpath={.spec}"),
      call("create role reader --verb=get --resource=pods"),
      call("get role reader -o jsonpath={.rules}"),
      call("create deployment none --image=nginx --replicas=0"),
      call("get deployment none -o jsonpath={.spec}"),
      call("delete namespace team --wait=false"),
    ],
  },
  {
    title: "workloads",
    calls: [
      { ...call("apply -f -"), input: WEB },
      call("get deployments -o wide"),
      call("describe deployment web"),
      call("scale deployment web --replicas=5"),
      call("set image deployment/web c=nginx:2"),
      call("patch deployment web -p", SIDECAR),
      call("get deployment web -o jsonpath={.spec.replicas}{.spec.template.spec.containers[*].image}"),
      call("rollout restart deployment web"),
      call("rollout status deployment web --timeout=1s"),
      { ...call("diff -f -"), input: WEB },
      call("run single --image=nginx"),
      call("get pods"),
      call("get pod single -o yaml"),
      call("describe pod single"),
      call("delete pod single --now"),
    ],
  },
  {
    title: "explain with the values that fields may have",
    calls: [
      call("explain db.spec.engine"),
      call("explain pod.spec.containers.imagePullPolicy"),
      call("explain service.spec"),
      call("explain pv.spec.accessModes"),
      call("explain deployment.spec.strategy.type"),
      call("explain networkpolicy.spec.policyTypes"),
      call("explain resourceclaim.spec.devices.requests"),
      call("explain pod.spec.restartPolicy --output plaintext-openapiv2"),
      call("explain cronjob.spec --recursive"),
      call("explain pod.spec.nothing"),
    ],
  },
  {
    title: "claims of devices",
    calls: [
      { ...call("apply -f -"), input: DEVICES },
      { ...call("apply -f -"), input: DEVICES },
      call("get resourceclaims,resourceclaimtemplates,deviceclasses,resourceslices"),
      call("get resourceclaim gpu -o jsonpath={.spec}{.status}"),
      call("describe resourceclaim gpu"),
      call("get resourceslices --field-selector spec.driver=gpu.example.com"),
      call("delete resourceclaim gpu"),
      call("api-resources --api-group=resource.k8s.io"),
    ],
  },
  {
    title: "nodes",
    calls: [
      { ...call("apply -f -"), input: NODE },
      call("get nodes"),
      call("cordon worker"),
      call("cordon worker"),
      call("get node worker -o jsonpath={.spec}"),
      call("uncordon worker"),
      call("taint nodes worker dedicated=db:NoSchedule"),
      call("taint nodes worker dedicated=db:NoSchedule"),
      call("taint nodes worker dedicated-"),
      call("drain worker --ignore-daemonsets --timeout=5s"),
      call("label node worker node-role.kubernetes.io/worker="),
      call("get nodes -o wide"),
      call("describe node worker"),
      call("top nodes"),
      call("top pods"),
      call("delete node worker"),
    ],
  },
  {
    title: "more of every day",
    calls: [
      call("create deployment shop --image=nginx:1 --port=80"),
      call("expose deployment shop --port=80"),
      call("expose deployment shop --port=80"),
      call("describe service shop"),
      call("expose deployment shop --type=NodePort --port=81 --name=outside"),
      call("describe service outside"),
      call("create service loadbalancer balanced --tcp=80"),
      call("get service outside balanced"),
      call("create service externalname wrong --external-name=a_b"),
      call("patch service shop -p", '{"spec":{"type":"ExternalName"}}'),
      call("delete service outside balanced"),
      call("autoscale deployment shop --min=1 --max=3 --name=shop"),
      call("get hpa"),
      call("get hpa shop -o jsonpath={.spec}"),
      call("get deployment shop --subresource=scale"),
      call("get rs --field-selector=status.replicas=0"),
      call("set env deployment/shop A=b"),
      call("set resources deployment shop --limits=cpu=200m,memory=64Mi"),
      call("set serviceaccount deployment shop robot"),
      call("rollout history deployment shop"),
      call("rollout pause deployment shop"),
      call("rollout resume deployment shop"),
      call("rollout undo deployment shop"),
      call("annotate deployment shop a=b --resource-version=1"),
      call("label deployments --all shelf=a"),
      call("get all -l shelf=a"),
      call("get deploy,svc -l app=shop -o name"),
      {
        ...call("apply --prune -l shelf=a -f -"),
        input: CONFIG_MAP.replace("settings }", "shelf, labels: { shelf: a } }"),
      },
      { ...call("replace --force -f -"), input: CONFIG_MAP },
      { ...call("apply --server-side -f -"), input: CONFIG_MAP.replace("'1'", "'3'") },
      { ...call("apply --server-side --force-conflicts -f -"), input: CONFIG_MAP.replace("'1'", "'3'") },
      call("delete deployment web --cascade=orphan"),
      call("delete service shop --cascade=background"),
      call("create quota amounts --hard=pods=2,services=1"),
      call("describe quota amounts"),
      call("create pdb budget --selector=app=shop --min-available=1"),
      call("create priorityclass high --value=1000"),
      call("create clusterrole reader --verb=get,list --resource=pods,deployments.apps"),
      call("create clusterrolebinding readers --clusterrole=reader --user=alice"),
      call("describe clusterrolebinding readers"),
      call("create rolebinding readers --role=reader --serviceaccount=default:robot"),
    ],
  },
];
