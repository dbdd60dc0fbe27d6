package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var controllerRuntimeChecks = []check{
	{"controller-runtime: a manager with leader election, cache, index, webhooks and a reconciler", manager},
}

const (
	finalizer = "clients.example.com/finalizer"
	hooks     = "clients.example.com"
)

// The reconciler keeps a ConfigMap for each Widget, and says so in the status.
type reconciler struct {
	client.Client
	finalized chan string
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(widget, finalizer) {
			r.finalized <- widget.Name
			return ctrl.Result{}, r.Update(ctx, widget)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(widget, finalizer) {
		if err := r.Update(ctx, widget); err != nil {
			return ctrl.Result{}, err
		}
	}
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: widget.Namespace, Name: widget.Name + "-child"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		child.Data = map[string]string{"size": fmt.Sprint(widget.Spec.Size)}
		return controllerutil.SetControllerReference(widget, child, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := widget.DeepCopyObject().(*Widget)
	widget.Status.Phase = "Ready"
	meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Made", ObservedGeneration: widget.Generation,
	})
	return ctrl.Result{RequeueAfter: time.Minute}, r.Status().Patch(ctx, widget, client.MergeFrom(before))
}

func manager(ctx context.Context, c *cluster) error {
	ctx, cancel := context.WithCancel(ctx)
	scheme := runtime.NewScheme()
	_ = clientscheme.AddToScheme(scheme)
	addWidgets(scheme)
	certificate, bundle, err := makeCertificate()
	if err != nil {
		cancel()
		return err
	}
	port, err := freePort()
	if err != nil {
		cancel()
		return err
	}
	mgr, err := ctrl.NewManager(c.config, ctrl.Options{
		Scheme:                  scheme,
		Cache:                   cache.Options{DefaultNamespaces: map[string]cache.Config{c.namespace: {}}},
		Metrics:                 metrics.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "manager",
		LeaderElectionNamespace: c.namespace,
		WebhookServer:           webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, TLSOpts: tlsOptions(certificate)}),
	})
	if err != nil {
		cancel()
		return err
	}
	mgr.GetWebhookServer().Register("/mutate", &webhook.Admission{Handler: admission.HandlerFunc(mutate)})
	mgr.GetWebhookServer().Register("/validate", &webhook.Admission{Handler: admission.HandlerFunc(validate)})
	r := &reconciler{Client: mgr.GetClient(), finalized: make(chan string, 10)}
	err = first(
		ctrl.NewControllerManagedBy(mgr).For(&Widget{}).Owns(&corev1.ConfigMap{}).Complete(r),
		mgr.GetFieldIndexer().IndexField(ctx, &Widget{}, "spec.color", func(object client.Object) []string {
			return []string{object.(*Widget).Spec.Color}
		}),
	)
	if err != nil {
		cancel()
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	defer func() {
		cancel()
		<-ended
	}()
	if err := c.registerHooks(ctx, port, bundle); err != nil {
		return err
	}
	defer c.removeHooks(context.WithoutCancel(ctx))
	return c.work(ctx, mgr.GetClient(), r)
}

// The story of a Widget under the manager.
func (c *cluster) work(ctx context.Context, cached client.Client, r *reconciler) error {
	direct, err := client.New(c.config, client.Options{Scheme: cached.Scheme()})
	if err != nil {
		return err
	}
	key := client.ObjectKey{Namespace: c.namespace, Name: "managed"}
	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	widget.Spec.Color = "red"
	// A webhook counts a moment after its configuration was made.
	err = until(ctx, "the webhook that fills the size in", func() (bool, string) {
		trial := widget.DeepCopyObject().(*Widget)
		if err := direct.Create(ctx, trial, client.DryRunAll); err != nil {
			return false, err.Error()
		}
		return trial.Spec.Size == 7, fmt.Sprintf("the size is %d", trial.Spec.Size)
	})
	if err != nil {
		return err
	}
	if err := direct.Create(ctx, widget); err != nil {
		return err
	}
	bad := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: "bad"}, Spec: WidgetSpec{Color: "black"}}
	refused := direct.Create(ctx, bad)
	child := &corev1.ConfigMap{}
	childKey := client.ObjectKey{Namespace: c.namespace, Name: "managed-child"}
	isReady := func() (bool, string) {
		found := &Widget{}
		if err := cached.Get(ctx, key, found); err != nil {
			return false, err.Error()
		}
		return found.Status.Phase == "Ready" && meta.IsStatusConditionTrue(found.Status.Conditions, "Ready"),
			fmt.Sprintf("%+v", found.Status)
	}
	err = first(
		expect("Forbidden", errors.IsForbidden(refused), true),
		until(ctx, "the status", isReady),
		direct.Get(ctx, childKey, child),
	)
	if err != nil {
		return err
	}
	owner := metav1.GetControllerOf(child)
	red := &WidgetList{}
	err = first(
		expect("the child's size", child.Data["size"], "7"),
		expect("the child's owner", owner != nil && owner.Name == "managed", true),
		cached.List(ctx, red, client.InNamespace(c.namespace), client.MatchingFields{"spec.color": "red"}),
		expect("red widgets", len(red.Items), 1),
		// What it owns comes back.
		direct.Delete(ctx, child),
		until(ctx, "the child", func() (bool, string) {
			again := &corev1.ConfigMap{}
			err := direct.Get(ctx, childKey, again)
			return err == nil && again.UID != child.UID, fmt.Sprint(err)
		}),
		direct.Delete(ctx, widget),
	)
	if err != nil {
		return err
	}
	return first(
		until(ctx, "the end of the widget", func() (bool, string) {
			err := direct.Get(ctx, key, &Widget{})
			return errors.IsNotFound(err), fmt.Sprint(err)
		}),
		expect("the finalizer ran for", <-r.finalized, "managed"),
	)
}

func mutate(_ context.Context, request admission.Request) admission.Response {
	object := newWidget("", nil)
	if err := object.UnmarshalJSON(request.Object.Raw); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	spec, _ := object.Object["spec"].(map[string]any)
	if spec["size"] != nil {
		return admission.Allowed("")
	}
	if spec == nil {
		spec = map[string]any{}
	}
	spec["size"] = int64(7)
	object.Object["spec"] = spec
	changed, err := object.MarshalJSON()
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}

func validate(_ context.Context, request admission.Request) admission.Response {
	object := newWidget("", nil)
	if err := object.UnmarshalJSON(request.Object.Raw); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if spec, _ := object.Object["spec"].(map[string]any); spec["color"] == "black" {
		return admission.Denied("no black widgets")
	}
	return admission.Allowed("").WithWarnings("mind the color")
}

func (c *cluster) registerHooks(ctx context.Context, port int, bundle []byte) error {
	none, fail := admissionv1.SideEffectClassNone, admissionv1.Fail
	rules := []admissionv1.RuleWithOperations{{
		Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
		Rule: admissionv1.Rule{
			APIGroups: []string{widgets.Group}, APIVersions: []string{"v1"}, Resources: []string{"widgets"},
		},
	}}
	to := func(path string) admissionv1.WebhookClientConfig {
		url := fmt.Sprintf("https://127.0.0.1:%d%s", port, path)
		return admissionv1.WebhookClientConfig{URL: &url, CABundle: bundle}
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": c.namespace}}
	mutating := &admissionv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: hooks},
		Webhooks: []admissionv1.MutatingWebhook{{
			Name: "mutate." + hooks, ClientConfig: to("/mutate"), Rules: rules, SideEffects: &none, FailurePolicy: &fail,
			AdmissionReviewVersions: []string{"v1"}, NamespaceSelector: selector,
		}},
	}
	validating := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: hooks},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "validate." + hooks, ClientConfig: to("/validate"), Rules: rules, SideEffects: &none, FailurePolicy: &fail,
			AdmissionReviewVersions: []string{"v1"}, NamespaceSelector: selector,
		}},
	}
	registration := c.typed.AdmissionregistrationV1()
	_, err := registration.MutatingWebhookConfigurations().Create(ctx, mutating, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = registration.ValidatingWebhookConfigurations().Create(ctx, validating, metav1.CreateOptions{})
	return err
}

func (c *cluster) removeHooks(ctx context.Context) {
	registration := c.typed.AdmissionregistrationV1()
	_ = registration.MutatingWebhookConfigurations().Delete(ctx, hooks, metav1.DeleteOptions{})
	_ = registration.ValidatingWebhookConfigurations().Delete(ctx, hooks, metav1.DeleteOptions{})
}
