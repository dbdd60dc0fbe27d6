// Package framework takes the place of a file of the same package in k8s.io/kubernetes/test/integration.
package framework

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	client "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/controlplane"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"

	"lotse.dev/tests/kubernetes/start"
)

// TestServerSetup is how a test would change the options and the parts of a server.
type TestServerSetup struct {
	ModifyServerRunOptions func(*options.ServerRunOptions)
	ModifyServerConfig     func(*controlplane.Config)
}

// TearDownFunc ends a server.
type TearDownFunc func()

// StartTestServer starts a server with what of the setup can be said by flags. A test that puts code of its own into the server is skipped.
func StartTestServer(_ context.Context, t testing.TB, setup TestServerSetup) (client.Interface, *rest.Config, TearDownFunc) {
	t.Helper()
	folder := t.TempDir()
	wanted := options.NewServerRunOptions()
	wanted.Authorization.Modes = []string{"Node", "RBAC"}
	wanted.Authentication.APIAudiences = []string{"https://foo.bar.example.com"}
	if setup.ModifyServerRunOptions != nil {
		setup.ModifyServerRunOptions(wanted)
	}
	flags := []string{"--disable-admission-plugins=" + strings.Join(wanted.Admission.GenericAdmission.DisablePlugins, ",")}
	if file := wanted.Authentication.TokenFile.TokenFile; file != "" {
		flags = append(flags, "--token-auth-file="+file)
	}
	modes := wanted.Authorization.Modes
	if setup.ModifyServerConfig != nil {
		parts := newParts()
		before := *parts.ControlPlane.Generic
		setup.ModifyServerConfig(parts)
		after := parts.ControlPlane.Generic
		if after.RequestInfoResolver != before.RequestInfoResolver || after.OpenAPIConfig != nil || after.AdmissionControl != nil {
			t.Skipf(start.NotPossible + "parts of the test's own")
		}
		if after.Authorization.Authorizer != nil {
			if _, found := find[rbac.RBACAuthorizer](after.Authorization.Authorizer); !found {
				t.Skipf(start.NotPossible + "an authorizer of the test's own")
			}
			modes = []string{"RBAC"}
		}
		if after.Authentication.Authenticator != nil {
			tokens, found := find[tokenfile.TokenAuthenticator](after.Authentication.Authenticator)
			if !found {
				t.Skipf(start.NotPossible + "an authenticator of the test's own")
			}
			flags = append(flags, "--token-auth-file="+writeTokens(t, tokens, filepath.Join(folder, "tokens.csv")))
		}
	}
	if strings.Contains(strings.Join(modes, ","), "AlwaysDeny") || strings.Contains(strings.Join(modes, ","), "ABAC") {
		t.Skipf(start.NotPossible + "authorization but by roles")
	}
	flags = append(flags, "--authorization-mode="+strings.Join(modes, ","))
	server, err := start.New(flags...)
	if err != nil {
		t.Fatalf("Cannot start the server: %v", err)
	}
	return client.NewForConfigOrDie(server.Config), server.Config, TearDownFunc(server.Stop)
}

// newParts returns what tests change the parts of, which serve nobody.
func newParts() *controlplane.Config {
	generic := genericapiserver.NewConfig(legacyscheme.Codecs)
	generic.LoopbackClientConfig = &rest.Config{}
	parts := &controlplane.Config{}
	parts.ControlPlane.Generic = generic
	parts.ControlPlane.Extra.StorageFactory = serverstorage.NewDefaultStorageFactory(
		DefaultEtcdOptions().StorageConfig, "", legacyscheme.Codecs, serverstorage.NewDefaultResourceEncodingConfig(legacyscheme.Scheme), nil, nil,
	)
	return parts
}

// find looks for a part of a type, however deep it is, and whether or not it may be seen.
func find[Part any](in any) (reflect.Value, bool) {
	return findIn(reflect.ValueOf(in), reflect.TypeFor[Part](), 0)
}

func findIn(value reflect.Value, wanted reflect.Type, depth int) (reflect.Value, bool) {
	if !value.IsValid() || depth > 12 {
		return value, false
	}
	if value.Type() == wanted {
		return value, true
	}
	var parts []reflect.Value
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		parts = append(parts, value.Elem())
	case reflect.Struct:
		for index := range value.NumField() {
			parts = append(parts, value.Field(index))
		}
	case reflect.Slice, reflect.Array:
		for index := range value.Len() {
			parts = append(parts, value.Index(index))
		}
	}
	for _, part := range parts {
		if found, ok := findIn(part, wanted, depth+1); ok {
			return found, true
		}
	}
	return reflect.Value{}, false
}

// writeTokens writes a file of the tokens that an authenticator knows.
func writeTokens(t testing.TB, tokens reflect.Value, path string) string {
	var lines strings.Builder
	for _, key := range tokens.FieldByName("tokens").MapKeys() {
		user := tokens.FieldByName("tokens").MapIndex(key).Elem()
		var groups []string
		for index := range user.FieldByName("Groups").Len() {
			groups = append(groups, user.FieldByName("Groups").Index(index).String())
		}
		lines.WriteString(key.String() + "," + user.FieldByName("Name").String() + "," + user.FieldByName("UID").String())
		if len(groups) > 0 {
			lines.WriteString(`,"` + strings.Join(groups, ",") + `"`)
		}
		lines.WriteString("\n")
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
