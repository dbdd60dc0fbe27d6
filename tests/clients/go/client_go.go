package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/tools/record"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/retry"
)

var clientGoChecks = []check{
	{"client-go: typed writes, and the errors that callers tell apart", typedWrites},
	{"client-go: defaults of what is written in protocol buffers", typedDefaults},
	{"client-go: typed apply, its conflicts, force and extraction", typedApply},
	{"client-go: an informer's cache follows creations, changes and deletions", informerFollows},
	{"client-go: an informer of metadata alone", metadataInformer},
	{"client-go: lists in pages", pages},
	{"client-go: concurrent changes with retries on conflicts", retriesOnConflict},
	{"client-go: a watch that goes on from a version", retryWatcher},
	{"client-go: finalizers hold what is deleted", finalizers},
	{"client-go: collections are deleted by selectors", deleteCollection},
	{"client-go: one leader of two, and the next one when it lets go", leaderElection},
	{"client-go: repeated events are counted on one object", eventRecorder},
	{"client-go: discovery, the REST mapper and OpenAPI", discovery},
	{"client-go: what one may do is answered", accessReview},
}

func newMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

func (c *cluster) maps() typedcore.ConfigMapInterface {
	return c.typed.CoreV1().ConfigMaps(c.namespace)
}

func typedWrites(ctx context.Context, c *cluster) error {
	made, err := c.maps().Create(ctx, newMap("writes", map[string]string{"a": "1"}), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, again := c.maps().Create(ctx, newMap("writes", nil), metav1.CreateOptions{})
	_, missing := c.maps().Get(ctx, "nothing", metav1.GetOptions{})
	_, invalid := c.maps().Create(ctx, newMap("Not_A_Name", nil), metav1.CreateOptions{})
	made.Data["b"] = "2"
	changed, err := c.maps().Update(ctx, made, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	_, stale := c.maps().Update(ctx, made, metav1.UpdateOptions{})
	patched, err := c.maps().Patch(ctx, "writes", types.StrategicMergePatchType, []byte(`{"data":{"a":null,"c":"3"}}`),
		metav1.PatchOptions{FieldManager: "patcher"})
	if err != nil {
		return err
	}
	dry, err := c.maps().Patch(ctx, "writes", types.JSONPatchType, []byte(`[{"op":"add","path":"/data/d","value":"4"}]`),
		metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err
	}
	stored, err := c.maps().Get(ctx, "writes", metav1.GetOptions{})
	if err != nil {
		return err
	}
	wrongUID := types.UID("wrong")
	precondition := c.maps().Delete(ctx, "writes", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrongUID}})
	return first(
		expect("AlreadyExists", errors.IsAlreadyExists(again), true),
		expect("NotFound", errors.IsNotFound(missing), true),
		expect("Invalid", errors.IsInvalid(invalid), true),
		expect("Conflict", errors.IsConflict(stale), true),
		expect("a wrong precondition is a Conflict", errors.IsConflict(precondition), true),
		expect("the version of a change is another", changed.ResourceVersion != made.ResourceVersion, true),
		expect("patched data", fmt.Sprint(patched.Data), "map[b:2 c:3]"),
		expect("data of a dry run", fmt.Sprint(dry.Data), "map[b:2 c:3 d:4]"),
		expect("stored data", fmt.Sprint(stored.Data), "map[b:2 c:3]"),
		expect("managers", managersOf(stored), "clients/Update patcher/Update "),
		c.maps().Delete(ctx, "writes", metav1.DeleteOptions{}),
	)
}

// Who owns fields, by name; the program's own is named after its file, whatever that is.
func managersOf(object metav1.Object) string {
	text := ""
	for _, each := range object.GetManagedFields() {
		manager := each.Manager
		if manager != "patcher" {
			manager = "clients"
		}
		text += manager + "/" + string(each.Operation) + " "
	}
	return text
}

func typedDefaults(ctx context.Context, c *cluster) error {
	replicas := int32(2)
	selector := map[string]string{"app": "web"}
	container := corev1.Container{Name: "web", Image: "example.com/web:1"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: selector},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: selector},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{container}},
			},
		},
	}
	deployments := c.typed.AppsV1().Deployments(c.namespace)
	made, err := deployments.Create(ctx, deployment, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = 5
	if _, err := deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil {
		return err
	}
	scaled, err := deployments.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	scaled.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
	_, immutable := deployments.Update(ctx, scaled, metav1.UpdateOptions{})
	spec := made.Spec.Template.Spec
	return first(
		expect("strategy", made.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType),
		expect("restart policy", spec.RestartPolicy, corev1.RestartPolicyAlways),
		expect("pull policy", spec.Containers[0].ImagePullPolicy, corev1.PullIfNotPresent),
		expect("generation", made.Generation, int64(1)),
		expect("scale's selector", scale.Status.Selector, "app=web"),
		expect("replicas after scaling", *scaled.Spec.Replicas, int32(5)),
		expect("generation after scaling", scaled.Generation, int64(2)),
		expect("a selector cannot be changed", errors.IsInvalid(immutable), true),
	)
}

func typedApply(ctx context.Context, c *cluster) error {
	options := func(manager string, force bool) metav1.ApplyOptions {
		return metav1.ApplyOptions{FieldManager: manager, Force: force}
	}
	wanted := func(data map[string]string) *applycore.ConfigMapApplyConfiguration {
		return applycore.ConfigMap("applied", c.namespace).WithData(data)
	}
	if _, err := c.maps().Apply(ctx, wanted(map[string]string{"a": "1", "b": "1"}), options("one", false)); err != nil {
		return err
	}
	_, conflict := c.maps().Apply(ctx, wanted(map[string]string{"a": "2"}), options("two", false))
	if _, err := c.maps().Apply(ctx, wanted(map[string]string{"a": "2"}), options("two", true)); err != nil {
		return err
	}
	// What it leaves out now goes, unless somebody else has it.
	both, err := c.maps().Apply(ctx, wanted(map[string]string{"c": "1"}), options("one", false))
	if err != nil {
		return err
	}
	own, err := applycore.ExtractConfigMap(both, "one")
	if err != nil {
		return err
	}
	_, nameless := c.maps().Apply(ctx, wanted(nil), metav1.ApplyOptions{})
	causes := 0
	if status, ok := conflict.(errors.APIStatus); ok && status.Status().Details != nil {
		causes = len(status.Status().Details.Causes)
	}
	return first(
		expect("Conflict", errors.IsConflict(conflict), true),
		expect("causes of the conflict", causes, 1),
		expect("data of both", fmt.Sprint(both.Data), "map[a:2 c:1]"),
		expect("extracted data", fmt.Sprint(own.Data), "map[c:1]"),
		expect("without a manager it is refused", nameless != nil, true),
	)
}

// The steps of an object as a handler of an informer has seen them.
type story struct {
	sync.Mutex
	lines map[string]string
}

func (s *story) add(name, line string) {
	s.Lock()
	defer s.Unlock()
	if s.lines == nil {
		s.lines = map[string]string{}
	}
	s.lines[name] += line
}

func (s *story) of(name string) string {
	s.Lock()
	defer s.Unlock()
	return s.lines[name]
}

func informerFollows(ctx context.Context, c *cluster) error {
	for index := range 20 {
		object := newMap(fmt.Sprintf("early-%02d", index), nil)
		object.Labels = map[string]string{"follow": "yes"}
		if _, err := c.maps().Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	follow := informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "follow=yes" })
	factory := informers.NewSharedInformerFactoryWithOptions(c.typed, 0, informers.WithNamespace(c.namespace), follow)
	informer := factory.Core().V1().ConfigMaps()
	seen := &story{}
	nameOf := func(object any) string {
		if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = tombstone.Obj
		}
		return object.(*corev1.ConfigMap).Name
	}
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { seen.add(nameOf(object), "+") },
		UpdateFunc: func(old, object any) {
			if old.(*corev1.ConfigMap).ResourceVersion != object.(*corev1.ConfigMap).ResourceVersion {
				seen.add(nameOf(object), object.(*corev1.ConfigMap).Data["step"])
			}
		},
		DeleteFunc: func(object any) { seen.add(nameOf(object), "-") },
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		return fmt.Errorf("the cache was not synced")
	}
	listed, err := informer.Lister().ConfigMaps(c.namespace).List(labels.Everything())
	if err != nil {
		return err
	}
	if err := expect("objects in the cache", len(listed), 20); err != nil {
		return err
	}
	late := newMap("late", map[string]string{"step": "0"})
	late.Labels = map[string]string{"follow": "yes"}
	made, err := c.maps().Create(ctx, late, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for step := 1; step <= 5; step++ {
		made.Data["step"] = strconv.Itoa(step)
		if made, err = c.maps().Update(ctx, made, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	// An object that is not selected any more is gone for the informer.
	if _, err := c.maps().Patch(ctx, "early-00", types.MergePatchType, []byte(`{"metadata":{"labels":null}}`),
		metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := c.maps().Delete(ctx, "late", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return first(
		until(ctx, "the late object", func() (bool, string) { return seen.of("late") == "+12345-", seen.of("late") }),
		until(ctx, "the object that lost its label", func() (bool, string) {
			return seen.of("early-00") == "+-", seen.of("early-00")
		}),
	)
}

func metadataInformer(ctx context.Context, c *cluster) error {
	client, err := metadata.NewForConfig(c.config)
	if err != nil {
		return err
	}
	resource := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, c.namespace, nil)
	informer := factory.ForResource(resource)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_ = informer.Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		return fmt.Errorf("the cache was not synced")
	}
	object := newMap("meta", map[string]string{"large": "not wanted"})
	object.Annotations = map[string]string{"note": "wanted"}
	if _, err := c.maps().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	return until(ctx, "the object's metadata", func() (bool, string) {
		found, err := informer.Lister().ByNamespace(c.namespace).Get("meta")
		if err != nil {
			return false, err.Error()
		}
		partial, ok := found.(*metav1.PartialObjectMetadata)
		return ok && partial.Annotations["note"] == "wanted", fmt.Sprintf("%T", found)
	})
}

func pages(ctx context.Context, c *cluster) error {
	for index := range 23 {
		object := newMap(fmt.Sprintf("page-%02d", index), nil)
		object.Labels = map[string]string{"paged": "yes"}
		if _, err := c.maps().Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	requests, names := 0, map[string]bool{}
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		requests++
		return c.maps().List(ctx, options)
	})
	list.PageSize = 5
	err := list.EachListItem(ctx, metav1.ListOptions{LabelSelector: "paged=yes"}, func(object runtime.Object) error {
		names[object.(*corev1.ConfigMap).Name] = true
		return nil
	})
	page, listed := c.maps().List(ctx, metav1.ListOptions{LabelSelector: "paged=yes", Limit: 5})
	if err := first(err, listed); err != nil {
		return err
	}
	return first(
		expect("requests", requests, 5),
		expect("names", len(names), 23),
		// Where there is a selector, nobody counts what is left.
		expect("the number of remaining items", page.RemainingItemCount == nil, true),
		expect("a token", page.Continue != "", true),
	)
}

func retriesOnConflict(ctx context.Context, c *cluster) error {
	if _, err := c.maps().Create(ctx, newMap("counter", map[string]string{"n": "0"}), metav1.CreateOptions{}); err != nil {
		return err
	}
	var group sync.WaitGroup
	var failures atomic.Int32
	patient := retry.DefaultBackoff
	patient.Steps = 30
	for range 8 {
		group.Go(func() {
			err := retry.RetryOnConflict(patient, func() error {
				found, err := c.maps().Get(ctx, "counter", metav1.GetOptions{})
				if err != nil {
					return err
				}
				n, _ := strconv.Atoi(found.Data["n"])
				found.Data["n"] = strconv.Itoa(n + 1)
				_, err = c.maps().Update(ctx, found, metav1.UpdateOptions{})
				return err
			})
			if err != nil {
				failures.Add(1)
			}
		})
	}
	group.Wait()
	found, err := c.maps().Get(ctx, "counter", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return first(expect("failures", failures.Load(), int32(0)), expect("the count", found.Data["n"], "8"))
}

func retryWatcher(ctx context.Context, c *cluster) error {
	start, err := c.maps().Create(ctx, newMap("watched", map[string]string{"step": "0"}), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for step := 1; step <= 3; step++ {
		body, _ := json.Marshal(map[string]any{"data": map[string]string{"step": strconv.Itoa(step)}})
		if _, err := c.maps().Patch(ctx, "watched", types.MergePatchType, body, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	selector := "metadata.name=watched"
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, start.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			return c.maps().Watch(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	steps := ""
	for event := range watcher.ResultChan() {
		object, ok := event.Object.(*corev1.ConfigMap)
		if !ok {
			return fmt.Errorf("an event of type %s has a %T", event.Type, event.Object)
		}
		steps += object.Data["step"]
		if len(steps) == 3 {
			break
		}
	}
	return expect("steps", steps, "123")
}

func finalizers(ctx context.Context, c *cluster) error {
	object := newMap("held", nil)
	object.Finalizers = []string{"example.com/hold"}
	if _, err := c.maps().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := c.maps().Delete(ctx, "held", metav1.DeleteOptions{}); err != nil {
		return err
	}
	held, err := c.maps().Get(ctx, "held", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := expect("it is being deleted", held.DeletionTimestamp != nil, true); err != nil {
		return err
	}
	held.Finalizers = nil
	if _, err := c.maps().Update(ctx, held, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, gone := c.maps().Get(ctx, "held", metav1.GetOptions{})
	return expect("it is gone", errors.IsNotFound(gone), true)
}

func deleteCollection(ctx context.Context, c *cluster) error {
	selected := metav1.ListOptions{LabelSelector: "paged=yes"}
	if err := c.maps().DeleteCollection(ctx, metav1.DeleteOptions{}, selected); err != nil {
		return err
	}
	left, err := c.maps().List(ctx, selected)
	if err != nil {
		return err
	}
	kept, err := c.maps().Get(ctx, "counter", metav1.GetOptions{})
	return first(err, expect("what is left", len(left.Items), 0), expect("another", kept.Name, "counter"))
}

func leaderElection(ctx context.Context, c *cluster) error {
	var leading [2]atomic.Bool
	var most atomic.Int32
	run := func(ctx context.Context, index int) {
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: c.namespace, Name: "leader"},
			Client:     c.typed.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: strconv.Itoa(index)},
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true,
			LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) {
					leading[index].Store(true)
					if leading[0].Load() && leading[1].Load() {
						most.Store(2)
					}
					<-ctx.Done()
				},
				OnStoppedLeading: func() { leading[index].Store(false) },
			},
		})
	}
	one, stopOne := context.WithCancel(ctx)
	two, stopTwo := context.WithCancel(ctx)
	defer stopTwo()
	defer stopOne()
	go run(one, 0)
	if err := until(ctx, "the first leader", func() (bool, string) { return leading[0].Load(), "nobody leads" }); err != nil {
		return err
	}
	go run(two, 1)
	time.Sleep(500 * time.Millisecond)
	if err := expect("the second one leads meanwhile", leading[1].Load(), false); err != nil {
		return err
	}
	stopOne()
	err := until(ctx, "the second leader", func() (bool, string) { return leading[1].Load(), "nobody leads" })
	return first(err, expect("two at once", most.Load(), int32(0)))
}

func eventRecorder(ctx context.Context, c *cluster) error {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: c.typed.CoreV1().Events(c.namespace)})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "clients"})
	about, err := c.maps().Get(ctx, "counter", metav1.GetOptions{})
	if err != nil {
		return err
	}
	for range 3 {
		recorder.Event(about, corev1.EventTypeNormal, "Counted", "It was counted")
	}
	return until(ctx, "the event", func() (bool, string) {
		options := metav1.ListOptions{FieldSelector: "involvedObject.name=counter,reason=Counted"}
		found, err := c.typed.CoreV1().Events(c.namespace).List(ctx, options)
		if err != nil {
			return false, err.Error()
		}
		if len(found.Items) != 1 {
			return false, fmt.Sprintf("%d events", len(found.Items))
		}
		return found.Items[0].Count == 3, fmt.Sprintf("counted %d times", found.Items[0].Count)
	})
}

func discovery(_ context.Context, c *cluster) error {
	client := c.typed.Discovery()
	version, err := client.ServerVersion()
	if err != nil {
		return err
	}
	groups, err := restmapper.GetAPIGroupResources(client)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	if err != nil {
		return err
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	document, err := paths["apis/apps/v1"].Schema(runtime.ContentTypeJSON)
	if err != nil {
		return err
	}
	if _, err := client.OpenAPISchema(); err != nil { // version 2, in protocol buffers
		return err
	}
	return first(
		expect("the major version", version.Major, "1"),
		expect("the resource of Deployment", mapping.Resource.Resource, "deployments"),
		expect("a document of OpenAPI", json.Valid(document), true),
	)
}

func accessReview(ctx context.Context, c *cluster) error {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "delete", Resource: "namespaces"},
	}}
	answered, err := c.typed.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	stranger := rest.CopyConfig(c.config)
	stranger.Impersonate = rest.ImpersonationConfig{UserName: "stranger"}
	client, err := typedcore.NewForConfig(stranger)
	if err != nil {
		return err
	}
	_, forbidden := client.ConfigMaps(c.namespace).List(ctx, metav1.ListOptions{})
	return first(
		expect("the administrator may", answered.Status.Allowed, true),
		expect("a stranger is Forbidden", errors.IsForbidden(forbidden), true),
		expect("specs come back", equality.Semantic.DeepEqual(answered.Spec, review.Spec), true),
	)
}
