package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The name of the object that is new after a start over the copies. It comes last in a list.
const lastName = "zzz"

// A standIn is as much of an API server as operators of one kind ask for. Copies are made as they are sent, so that it holds none of
// them: a kube-apiserver takes 15 GB for 100,000 objects of 10 KB.
type standIn struct {
	flags

	lock sync.Mutex
	// The objects that can be written, by name: the template at first, then the one that is new.
	objects map[string]map[string]any
	// The handled template, once there are copies of it.
	copied   []byte
	version  int
	writes   int
	watchers map[chan []byte]bool
	handled  chan string
}

// serveStandIn says its URL, then when the template was handled; asked by a line, it has the copies and a new object, and says when that
// was handled and how many writes there were. A line with a number then has so many copies changed.
func serveStandIn(f flags) (any, error) {
	s := &standIn{
		flags: f, objects: map[string]map[string]any{}, version: 10, watchers: map[chan []byte]bool{}, handled: make(chan string, 10),
	}
	s.add(f.prefix)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() { fail(http.Serve(listener, http.HandlerFunc(s.serve))) }()
	say(map[string]string{"url": "http://" + listener.Addr().String()})
	<-s.handled
	say("handled")
	asked := bufio.NewReader(os.Stdin)
	if _, err := asked.ReadString('\n'); err != nil {
		return nil, err
	}
	s.multiply()
	say("ready")
	<-s.handled
	s.lock.Lock()
	writes := s.writes
	s.lock.Unlock()
	say(map[string]int{"writes": writes, "bytes": len(s.copied)})
	for {
		line, err := asked.ReadString('\n')
		if err != nil {
			return nil, err
		}
		count, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		s.touch(count)
		say("touched")
	}
}

// touch has so many events sent: one copy after the other has another field in its status.
func (s *standIn) touch(count int) {
	for turn := range count {
		value := s.copyOf(turn * 7 % s.count)
		value = bytes.Replace(value, []byte(`"status":{`), fmt.Appendf(nil, `"status":{"touched":%d,`, turn), 1)
		s.lock.Lock()
		s.version++
		version := fmt.Appendf(nil, `"resourceVersion":%q`, fieldOf(value, "resourceVersion"))
		value = bytes.Replace(value, version, fmt.Appendf(nil, `"resourceVersion":"%d"`, s.version), 1)
		watchers := slices.Collect(maps.Keys(s.watchers))
		s.lock.Unlock()
		for _, each := range watchers {
			each <- event("MODIFIED", value)
		}
	}
}

func (s *standIn) add(name string) {
	var object map[string]any
	if err := json.Unmarshal(objectBody(s.flags, name), &object); err != nil {
		fail(err)
	}
	s.version++
	metadata := object["metadata"].(map[string]any)
	metadata["namespace"], metadata["uid"] = s.namespace, fmt.Sprintf("11111111-0000-4000-8000-%012d", s.version)
	metadata["creationTimestamp"], metadata["generation"] = "2026-01-01T00:00:00Z", 1
	metadata["resourceVersion"] = strconv.Itoa(s.version)
	s.objects[name] = object
}

// multiply ends the watches of the first operator, and has copies of what it has left.
func (s *standIn) multiply() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.copied = encode(s.objects[s.prefix])
	s.version = 10_000_000
	s.writes = 0
	s.objects = map[string]map[string]any{}
	s.add(lastName)
}

// copyOf returns the JSON of a copy: notes name their object by namespace, name and uid.
func (s *standIn) copyOf(index int) []byte {
	name, uid := fmt.Sprintf("%s-%d", s.prefix, index), fmt.Sprintf("00000000-0000-4000-8000-%012d", index)
	oldUID := fieldOf(s.copied, "uid")
	value := bytes.Replace(s.copied, fmt.Appendf(nil, `"name":%q`, s.prefix), fmt.Appendf(nil, `"name":%q`, name), 1)
	value = bytes.ReplaceAll(value, slices.Concat([]byte("/"+s.prefix+"/"), oldUID), []byte("/"+name+"/"+uid))
	value = bytes.ReplaceAll(value, oldUID, []byte(uid))
	version := fmt.Appendf(nil, `"resourceVersion":%q`, fieldOf(value, "resourceVersion"))
	value = bytes.Replace(value, version, fmt.Appendf(nil, `"resourceVersion":"%d"`, 1000+index), 1)
	// NB: a note has the digests too, or a digest of them.
	if !bytes.Contains(s.copied, []byte("lotse")) {
		vary(value, index)
	}
	return value
}

// vary gives each copy digests of its own: copies that are alike compress as no objects of a cluster do.
func vary(value []byte, index int) {
	random := rand.New(rand.NewPCG(uint64(index), 3))
	for _, mark := range []string{"sha256:", `checksum/config":"`} {
		for at := bytes.Index(value, []byte(mark)); at >= 0; {
			at += len(mark)
			for digit := range 64 {
				value[at+digit] = "0123456789abcdef"[random.IntN(16)]
			}
			next := bytes.Index(value[at:], []byte(mark))
			if next < 0 {
				break
			}
			at += next
		}
	}
}

// item returns the object at a place of the list, and whether there is one.
func (s *standIn) item(index int) ([]byte, bool) {
	if s.copied != nil && index < s.count {
		return s.copyOf(index), true
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.copied != nil {
		index -= s.count
	}
	for _, object := range s.objects {
		if index == 0 {
			return encode(object), true
		}
	}
	return nil, false
}

func (s *standIn) serve(w http.ResponseWriter, r *http.Request) {
	items := itemsPath(s.namespace)
	w.Header().Set("Content-Type", "application/json")
	query := r.URL.Query()
	switch path := r.URL.Path; {
	case r.Method == "PATCH" && strings.HasPrefix(path, items+"/"):
		s.patch(w, r, strings.Split(strings.TrimPrefix(path, items+"/"), "/")[0])
	case r.Method == "POST":
		// Reviews of rights, and Events.
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		body["status"] = map[string]any{"allowed": true}
		w.WriteHeader(201)
		_, _ = w.Write(encode(body))
	case path == items && query.Get("watch") != "" && query.Get("watch") != "false":
		s.watch(w, r)
	case path == items:
		s.list(w, query.Get("limit"), query.Get("continue"))
	case answers[path] != "":
		_, _ = io.WriteString(w, answers[path])
	default:
		w.WriteHeader(404)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}

func (s *standIn) list(w io.Writer, limit, token string) {
	size, _ := strconv.Atoi(limit)
	index, _ := strconv.Atoi(token)
	_, _ = io.WriteString(w, `{"apiVersion":"bench.lotse.dev/v1","kind":"ItemList","items":[`)
	value, isThere := s.item(index)
	for sent := 0; isThere && (size == 0 || sent < size); sent++ {
		if sent > 0 {
			_, _ = io.WriteString(w, ",")
		}
		_, _ = w.Write(value)
		index++
		value, isThere = s.item(index)
	}
	next := ""
	if isThere {
		next = fmt.Sprintf(`,"continue":"%d"`, index)
	}
	_, _ = fmt.Fprintf(w, `],"metadata":{"resourceVersion":"%d"%s}}`, s.now(), next)
}

func (s *standIn) now() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.version
}

func (s *standIn) watch(w http.ResponseWriter, r *http.Request) {
	events := make(chan []byte, 100)
	s.lock.Lock()
	s.watchers[events] = true
	s.lock.Unlock()
	defer func() {
		s.lock.Lock()
		delete(s.watchers, events)
		s.lock.Unlock()
	}()
	flush := w.(http.Flusher).Flush
	w.WriteHeader(200)
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		for index := 0; ; index++ {
			value, isThere := s.item(index)
			if !isThere {
				break
			}
			_, _ = w.Write(event("ADDED", value))
		}
		_, _ = w.Write(s.bookmark(`,"annotations":{"k8s.io/initial-events-end":"true"}`))
	}
	flush()
	tick := time.NewTicker(20 * time.Second)
	defer tick.Stop()
	for {
		select {
		case line := <-events:
			_, _ = w.Write(line)
		case <-tick.C:
			_, _ = w.Write(s.bookmark(""))
		case <-r.Context().Done():
			return
		}
		flush()
	}
}

func (s *standIn) bookmark(annotations string) []byte {
	const object = `{"apiVersion":"bench.lotse.dev/v1","kind":"Item","metadata":{"resourceVersion":"%d"%s}}`
	return event("BOOKMARK", fmt.Appendf(nil, object, s.now(), annotations))
}

// patch takes merge patches, and JSON patches that add or replace or test.
func (s *standIn) patch(w http.ResponseWriter, r *http.Request, name string) {
	body, _ := io.ReadAll(r.Body)
	s.lock.Lock()
	defer s.lock.Unlock()
	s.writes++
	object := s.objects[name]
	var change map[string]any
	if object == nil || r.Header.Get("Content-Type") != mergePatch || json.Unmarshal(body, &change) != nil {
		w.WriteHeader(422)
		_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":422,"message":%q}`, "cannot patch "+name)
		return
	}
	wasReady := bytes.Contains(encode(object), ready)
	if metadata, isMap := change["metadata"].(map[string]any); isMap {
		delete(metadata, "resourceVersion")
	}
	merge(object, change)
	s.version++
	object["metadata"].(map[string]any)["resourceVersion"] = strconv.Itoa(s.version)
	value := encode(object)
	for each := range s.watchers {
		each <- event("MODIFIED", value)
	}
	_, _ = w.Write(value)
	if !wasReady && bytes.Contains(value, ready) {
		s.handled <- name
	}
}

// merge does what RFC 7396 says.
func merge(into, change map[string]any) {
	for key, value := range change {
		if value == nil {
			delete(into, key)
			continue
		}
		inner, isMap := value.(map[string]any)
		if !isMap {
			into[key] = value
			continue
		}
		old, wasMap := into[key].(map[string]any)
		if !wasMap {
			old = map[string]any{}
			into[key] = old
		}
		merge(old, inner)
	}
}

func event(kind string, object []byte) []byte {
	return fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", kind, object)
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		fail(err)
	}
	return text
}

const versions = `{"groupVersion":"bench.lotse.dev/v1","version":"v1"}`

const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",` +
	`"metadata":{"name":"items.bench.lotse.dev","uid":"22222222-0000-4000-8000-000000000000","resourceVersion":"5"},` +
	`"spec":{"group":"bench.lotse.dev","scope":"Namespaced","names":{"plural":"items","singular":"item","kind":"Item","listKind":"ItemList"},` +
	`"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},` +
	`"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`

// By path: what is always answered the same.
var answers = map[string]string{
	"/version": `{"major":"1","minor":"36","gitVersion":"v1.36.0"}`,
	"/api":     `{"kind":"APIVersions","versions":["v1"]}`,
	"/api/v1":  `{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`,
	"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"bench.lotse.dev","versions":[` + versions +
		`],"preferredVersion":` + versions + `}]}`,
	"/apis/bench.lotse.dev": `{"kind":"APIGroup","apiVersion":"v1","name":"bench.lotse.dev","versions":[` + versions +
		`],"preferredVersion":` + versions + `}`,
	"/apis/bench.lotse.dev/v1": `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"bench.lotse.dev/v1","resources":[` +
		`{"name":"items","singularName":"item","namespaced":true,"kind":"Item","verbs":["get","list","watch","patch"]},` +
		`{"name":"items/status","singularName":"","namespaced":true,"kind":"Item","verbs":["get","patch"]}]}`,
	"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/items.bench.lotse.dev": definition,
}
