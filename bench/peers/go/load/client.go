package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

const mergePatch = "application/merge-patch+json"

// A client of the API server, with as little as it takes.
type client struct {
	http   *http.Client
	server string
}

func connect(f flags) (*client, error) {
	certificate, err := tls.LoadX509KeyPair(filepath.Join(f.folder, "admin.crt"), filepath.Join(f.folder, "admin.key"))
	if err != nil {
		return nil, err
	}
	authority, err := os.ReadFile(filepath.Join(f.folder, "ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}},
		MaxIdleConnsPerHost: 1000,
	}
	return &client{&http.Client{Transport: transport}, f.server}, nil
}

// send makes a request, and returns the answer's body. An answer that is no success is an error.
func (c *client) send(method, path, contentType string, body []byte) ([]byte, error) {
	request, err := http.NewRequest(method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, response.StatusCode, answer)
	}
	return answer, err
}

func itemsPath(namespace string) string {
	return "/apis/bench.lotse.dev/v1/namespaces/" + namespace + "/items"
}

// watch calls back for each line of events from now on, over as many streams as it takes: new kinds end their first ones. It
// returns when the first stream is open, and goes on until the context ends.
func (c *client) watch(ctx context.Context, namespace string, see func(line []byte)) error {
	list, err := c.send("GET", itemsPath(namespace)+"?limit=1", "", nil)
	if err != nil {
		return err
	}
	version := string(fieldOf(list[max(bytes.LastIndex(list, []byte(`"metadata":{`)), 0):], "resourceVersion"))
	stream, err := c.open(ctx, namespace, version)
	if err != nil {
		return err
	}
	go func() {
		for {
			version = follow(stream, version, see)
			stream.Close()
			if ctx.Err() != nil {
				return
			}
			if stream, err = c.open(ctx, namespace, version); err != nil {
				fail(err)
			}
		}
	}()
	return nil
}

func (c *client) open(ctx context.Context, namespace, version string) (io.ReadCloser, error) {
	url := c.server + itemsPath(namespace) + "?watch=true&resourceVersion=" + version
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			time.Sleep(time.Hour) // The process is about to end.
		}
		return nil, err
	}
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("watch: %s", response.Status)
	}
	return response.Body, nil
}

func follow(stream io.Reader, version string, see func([]byte)) string {
	lines := bufio.NewReaderSize(stream, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return version
		}
		if bytes.HasPrefix(line, []byte(`{"type":"ERROR"`)) {
			fail(fmt.Errorf("the watch failed: %s", line))
		}
		version = string(fieldOf(line, "resourceVersion"))
		see(line)
	}
}

// fieldOf returns the text of the first field of that name, without parsing the rest: what is within texts of annotations has
// its quotes escaped, and so cannot be taken for it.
func fieldOf(object []byte, name string) []byte {
	key := `"` + name + `":"`
	at := bytes.Index(object, []byte(key))
	if at < 0 {
		return nil
	}
	rest := object[at+len(key):]
	return rest[:max(bytes.IndexByte(rest, '"'), 0)]
}
