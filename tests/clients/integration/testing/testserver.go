// Package testing takes the place of k8s.io/kubernetes/cmd/kube-apiserver/app/testing.
package testing

import (
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storageversion"
	"k8s.io/client-go/rest"
	kubeoptions "k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"lotse.dev/tests/kubernetes/start"
)

// TearDownFunc ends a server.
type TearDownFunc func()

// ProxyCA is an authority for proxies.
type ProxyCA struct {
	ProxySigningCert *x509.Certificate
	ProxySigningKey  *rsa.PrivateKey
}

// TestServerInstanceOptions is what tests may want of their server.
type TestServerInstanceOptions struct {
	SkipHealthzCheck       bool
	EnableCertAuth         bool
	StorageVersionWrapFunc func(storageversion.Manager) storageversion.Manager
	ProxyCA                *ProxyCA
	BinaryVersion          string
	RequestTimeout         time.Duration
}

// TestServer is a server that was started. There is no etcd, and so no client of it.
type TestServer struct {
	ClientConfig      *rest.Config
	ServerOpts        *kubeoptions.ServerRunOptions
	TearDownFn        TearDownFunc
	TmpDir            string
	EtcdClient        *clientv3.Client
	EtcdStoragePrefix string
}

// TB is what is needed of a test.
type TB interface {
	Helper()
	Fatalf(format string, args ...interface{})
	Skipf(format string, args ...interface{})
}

// NewDefaultTestServerOptions returns the options that nobody looks at.
func NewDefaultTestServerOptions() *TestServerInstanceOptions {
	return &TestServerInstanceOptions{EnableCertAuth: true}
}

// StartTestServer starts a server.
func StartTestServer(t TB, options *TestServerInstanceOptions, flags []string, _ *storagebackend.Config) (TestServer, error) {
	t.Helper()
	if options != nil && options.BinaryVersion != "" {
		t.Skipf(start.NotPossible + "another version of Kubernetes")
	}
	server, err := start.New(flags...)
	return TestServer{ClientConfig: server.Config, TearDownFn: server.Stop, TmpDir: server.Folder}, err
}

// GetEtcdClients refuses, because there is no etcd.
func GetEtcdClients(storagebackend.TransportConfig) (*clientv3.Client, clientv3.KV, error) {
	return nil, nil, errors.New("there is no etcd")
}

// StartTestServerOrDie starts a server.
func StartTestServerOrDie(t TB, options *TestServerInstanceOptions, flags []string, storage *storagebackend.Config) *TestServer {
	t.Helper()
	server, err := StartTestServer(t, options, flags, storage)
	if err != nil {
		t.Fatalf("Cannot start the server: %v", err)
	}
	return &server
}
